import { afterEach, describe, expect, it, vi } from 'vitest'
import { byDay, dayNumber, daysBetween, dueDay, isOverdue, startDay, taskDay } from './days'

describe('byDay', () => {
  it('puts entries under the days of the zone', () => {
    const entries = ['2026-11-17T00:30:00Z', '2026-11-16T23:30:00Z', '2026-11-16T10:00:00Z'].map((at) => ({ at }))
    expect(byDay(entries, 'UTC').map(({ day, entries: list }) => [day, list.length])).toEqual([
      ['2026-11-17', 1],
      ['2026-11-16', 2],
    ])
    expect(byDay(entries, 'Europe/Rome').map(({ day, entries: list }) => [day, list.length])).toEqual([
      ['2026-11-17', 2],
      ['2026-11-16', 1],
    ])
  })
})

describe('days of this place', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it('last from their first to their last moment', () => {
    vi.stubEnv('TZ', 'America/New_York')
    expect(daysBetween('2026-11-18', '2026-11-18')).toEqual({
      from: '2026-11-18T05:00:00.000Z',
      to: '2026-11-19T04:59:59.999Z',
    })
    expect(daysBetween(undefined, '2026-07-01')).toEqual({ to: '2026-07-02T03:59:59.999Z' })
    expect(daysBetween(undefined, undefined)).toEqual({})
  })

  it('are counted by the calendar', () => {
    vi.stubEnv('TZ', 'America/New_York')
    expect(dayNumber('2026-11-19T01:00:00Z')).toBe(dayNumber('2026-11-18'))
    expect(dayNumber('2026-11-19T05:00:00Z') - dayNumber('2026-11-18')).toBe(1)
  })
})

describe('a date that was given as a day', () => {
  it('is that day in every time zone', () => {
    expect(dueDay('2026-11-20T23:59:59.999Z')).toBe('2026-11-20')
    expect(dueDay('2026-11-20T12:00:00.000Z')).toBe('2026-11-20T12:00:00.000Z')
    expect(startDay('2026-11-20T00:00:00Z')).toBe('2026-11-20')
    expect(startDay('2026-11-20T06:00:00Z')).toBe('2026-11-20T06:00:00Z')
  })
})

describe('a task', () => {
  const now = Date.parse('2026-11-17T12:00:00Z')

  it('is overdue once its time has passed', () => {
    expect(isOverdue('2026-11-17T11:59:00Z', now)).toBe(true)
    expect(isOverdue('2026-11-17T12:01:00Z', now)).toBe(false)
    expect(isOverdue(null, now)).toBe(false)
  })

  it('has the whole of the day that it is due on', () => {
    expect(taskDay('2026-11-17T00:00:00.000Z')).toBe('2026-11-17')
    expect(taskDay('2026-11-17T23:59:59.999Z')).toBe('2026-11-17')
    for (const due of ['2026-11-17T00:00:00.000Z', '2026-11-17T23:59:59.999Z']) {
      expect(isOverdue(due, now, 'Europe/Rome')).toBe(false)
      expect(isOverdue(due, Date.parse('2026-11-17T23:30:00Z'), 'Europe/Rome')).toBe(true)
      expect(isOverdue(due, Date.parse('2026-11-18T04:00:00Z'), 'America/New_York')).toBe(false)
    }
    expect(isOverdue('2026-11-16T00:00:00.000Z', now, 'UTC')).toBe(true)
  })
})
