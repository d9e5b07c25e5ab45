import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { ageOf, countAges, daysSince } from './ages'

const now = Date.parse('2026-11-17T12:00:00Z')

beforeAll(() => void vi.stubEnv('TZ', 'UTC'))
afterAll(() => void vi.unstubAllEnvs())

it('counts days of the calendar', () => {
  expect(daysSince('2026-11-17T11:00:00Z', now)).toBe(0)
  expect(daysSince('2026-11-12T09:00:00Z', now)).toBe(5)
  expect(daysSince('2026-11-18T09:00:00Z', now)).toBe(0)
  expect(daysSince('2026-11-15T22:00:00Z', now)).toBe(2)
})

it('tells young from old', () => {
  expect(ageOf('2026-11-17T01:00:00Z', now)).toBe('today')
  expect(ageOf('2026-11-11T12:00:01Z', now)).toBe('week')
  expect(ageOf('2026-11-10T12:00:00Z', now)).toBe('older')
  expect(countAges(['2026-11-17T01:00:00Z', '2026-11-01T00:00:00Z', '2026-10-01T00:00:00Z'], now)).toEqual({
    today: 1,
    week: 0,
    older: 2,
  })
})
