import { expect, it } from 'vitest'
import { milliseconds } from './duration'
import { IdleClock } from './idle'

it('reads the durations of the service', () => {
  expect(milliseconds('PT30M')).toBe(1_800_000)
  expect(milliseconds('PT1H30S')).toBe(3_630_000)
  expect(milliseconds('P1DT0.5S')).toBe(86_400_500)
  expect(milliseconds('soon')).toBe(0)
})

it('counts from the last input of any tab', () => {
  let now = 100_000
  let stored: string | null = null
  let writes = 0
  const storage = {
    get: () => stored,
    set: (value: string) => {
      stored = value
      writes += 1
    },
  }
  const here = new IdleClock(storage, () => now)
  const there = new IdleClock(storage, () => now)
  expect(here.isOver(60_000)).toBe(false)
  here.touch()
  now += 3_000
  here.touch()
  expect(writes).toBe(1)
  now += 57_000
  expect(here.isOver(60_000)).toBe(true)
  there.touch()
  expect(here.isOver(60_000)).toBe(false)
  now += 600_000
  expect(here.isOver(0)).toBe(false)
})
