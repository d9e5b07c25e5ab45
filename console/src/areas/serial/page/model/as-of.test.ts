import { describe, expect, it } from 'vitest'
import { fromInput, isoOf, parseAsOf, toInput } from './as-of'

const now = Date.parse('2026-11-17T12:00:00Z')

describe('parseAsOf', () => {
  it('takes times and dates, a date to the end of the day', () => {
    expect(parseAsOf('2026-11-16T10:00:00Z', now)).toBe(Date.parse('2026-11-16T10:00:00Z'))
    expect(parseAsOf('2026-11-10', now)).toBe(new Date(2026, 10, 10, 23, 59, 59, 999).getTime())
  })

  it('is now for what is missing, no time, or still to come', () => {
    expect(parseAsOf(undefined, now)).toBeUndefined()
    expect(parseAsOf('yesterday', now)).toBeUndefined()
    expect(parseAsOf('2026-11-18', now)).toBeUndefined()
  })
})

describe('parseAsOf, before the service has told its time', () => {
  it('takes the address by its word: the clock here may be slow', () => {
    expect(parseAsOf('2026-11-17T13:00:00Z', null)).toBe(now + 3_600_000)
    expect(parseAsOf('yesterday', null)).toBeUndefined()
    expect(parseAsOf(undefined, null)).toBeUndefined()
  })
})

describe('the date input', () => {
  it('shows a moment in the time of the place, and reads it to the end of the minute', () => {
    const time = new Date(2026, 9, 5, 7, 3, 20).getTime()
    expect(toInput(time)).toBe('2026-10-05T07:03')
    const read = fromInput('2026-10-05T07:03')
    expect(read).toBe(new Date(2026, 9, 5, 7, 3, 59, 999).getTime())
    expect(fromInput('')).toBeUndefined()
  })

  it('writes moments as the service does', () => {
    expect(isoOf(now)).toBe('2026-11-17T12:00:00.000Z')
  })
})
