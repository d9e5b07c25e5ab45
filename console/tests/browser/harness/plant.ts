/*
 * The plant that every test works on: the demonstration plant, made once per run and copied for each file of tests.
 */

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Of everybody in the plant. */
export const password = 'velmora in the browser'

export function binary(): string {
  const usual = fileURLToPath(new URL('../../../../target/debug/tracewright', import.meta.url))
  const chosen = process.env.TRACEWRIGHT_BINARY ?? usual
  if (!existsSync(chosen)) throw new Error(`${chosen} is not there: build the service, or set TRACEWRIGHT_BINARY`)
  return chosen
}

/** The environment of the service: nothing of ours that it would take for a setting. */
export function bareEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TRACEWRIGHT_')))
}

export interface Plant {
  readonly folder: string
  remove(): Promise<void>
}

/** Makes the plant. `BROWSER_PLANT` names a folder that keeps it for the next run. */
export async function makePlant(): Promise<Plant> {
  const kept = process.env.BROWSER_PLANT
  const folder = kept ?? join(await mkdtemp(join(tmpdir(), 'tracewright-plant-')), 'data')
  if (!existsSync(folder)) {
    const env = { ...bareEnvironment(), TRACEWRIGHT_ADMIN_PASSWORD: password }
    await run(binary(), ['demo', '--data', folder], { env, maxBuffer: 1 << 24 })
  }
  const remove = () => rm(join(folder, '..'), { recursive: true, force: true })
  return { folder, remove: kept === undefined ? remove : async () => undefined }
}

export async function copyPlant(folder: string): Promise<Plant> {
  const copy = await mkdtemp(join(tmpdir(), 'tracewright-browser-'))
  await cp(folder, copy, { recursive: true })
  return { folder: copy, remove: () => rm(copy, { recursive: true, force: true }) }
}
