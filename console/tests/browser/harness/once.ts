import type { TestProject } from 'vitest/node'
import { makePlant } from './plant'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of the plant that each file of tests copies. */
    plant: string
  }
}

/** Before all files of tests. */
export default async function once(project: TestProject): Promise<() => Promise<void>> {
  const plant = await makePlant()
  project.provide('plant', plant.folder)
  return plant.remove
}
