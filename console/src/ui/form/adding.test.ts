import { expect, it } from 'vitest'
import { addFiles } from './adding'
import type { FileRef } from './values'

const file = (name: string, size = 1): FileRef => ({ name, size })

it('keeps the files of an upload that ended meanwhile', async () => {
  let answer: readonly FileRef[] = [file('old.jpg')]
  const change = (files: readonly FileRef[]) => {
    answer = files
  }
  let arrive = (_files: readonly FileRef[]) => {}
  const slow = new Promise<readonly FileRef[]>((resolve) => {
    arrive = resolve
  })
  const both = [
    addFiles(
      () => slow,
      () => answer,
      change,
    ),
    addFiles(
      async () => [file('quick.jpg')],
      () => answer,
      change,
    ),
  ]
  await both[1]
  arrive([file('slow.jpg'), file('old.jpg', 2)])
  await Promise.all(both)
  expect(answer).toEqual([file('quick.jpg'), file('slow.jpg'), file('old.jpg', 2)])
})
