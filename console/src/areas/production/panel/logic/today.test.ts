import { expect, it } from 'vitest'
import { isToday } from './today'

it('tells today from yesterday by the clock of the place', () => {
  const now = Date.parse('2026-11-18T06:30:00Z')
  expect(isToday('2026-11-18T05:55:00Z', now, 'UTC')).toBe(true)
  expect(isToday('2026-11-17T06:55:00Z', now, 'UTC')).toBe(false)
  expect(isToday('2026-11-17T23:30:00Z', now, 'UTC')).toBe(false)
  expect(isToday('2026-11-17T23:30:00Z', now, 'Europe/Rome')).toBe(true)
  expect(isToday('', now)).toBe(true)
})
