import { afterEach, describe, expect, test, vi } from 'vitest'
import { job, order } from './fixtures'
import { daysLeft, expectedEnd, isAtRisk, isLate, phasesOf, troublesOf } from './orders'

const now = new Date('2026-11-17T10:00:00')

describe('the phases of an order', () => {
  test('stand in the sequence of the routing, with the sums of their jobs', () => {
    const jobs = [
      job({ _key: 'b', phase_key: 'p2', phase_alias: 'Test', qt_planned: '10' }),
      job({ _key: 'a1', qt_planned: 4, qt_completed: '0.1', qt_scrap: 1, stage: 'started' }),
      job({ _key: 'a2', qt_planned: 6, qt_completed: '0.2', active_batch_qt: 2, stage: 'started', active: true }),
    ]
    const phases = phasesOf(order({ phase_sequence: ['p1', 'p2'], jobs }))
    expect(phases.map(({ alias }) => alias)).toEqual(['Assembly', 'Test'])
    expect(phases[0]).toMatchObject({ planned: '10', completed: '0.3', scrap: '1', inWork: '2', state: 'started' })
    expect(phases[0]?.share).toBeCloseTo(0.13)
  })

  test('between two batches are not paused', () => {
    expect(phasesOf(order({ jobs: [job({ stage: 'started' })] }))[0]?.state).toBe('between')
    expect(phasesOf(order({ jobs: [job({ stage: 'started', active_batch_key: 'b' })] }))[0]?.state).toBe('paused')
  })

  test('that are closed are full, whatever was planned', () => {
    expect(phasesOf(order({ jobs: [job({ stage: 'closed', qt_completed: 3 })] }))[0]?.share).toBe(1)
  })
})

describe('dates', () => {
  test('are counted in days', () => {
    expect(daysLeft('2026-11-17T23:59:59.999Z', now)).toBe(0)
    expect(daysLeft('2026-11-18T23:59:59.999Z', now)).toBe(1)
    expect(daysLeft('2026-11-14T23:59:59.999Z', now)).toBe(-3)
  })

  test('of running jobs tell when the order may be late', () => {
    const jobs = [
      job({ estimated_completion: '2026-11-20T08:00:00.000Z' }),
      job({ estimated_completion: '2026-11-22T08:00:00.000Z' }),
      job(),
    ]
    expect(expectedEnd({ jobs })).toBe('2026-11-22T08:00:00.000Z')
    expect(expectedEnd({ jobs: [job()] })).toBeNull()
    expect(isAtRisk(order({ jobs, due_by: '2026-11-21T23:59:59.999Z' }), now)).toBe(true)
    expect(isAtRisk(order({ jobs, due_by: '2026-11-22T23:59:59.999Z' }), now)).toBe(false)
    expect(isAtRisk(order({ jobs, due_by: '2026-11-21T23:59:59.999Z', status: 'closed' }), now)).toBe(false)
  })
})

describe('being late', () => {
  afterEach(() => void vi.unstubAllEnvs())
  const due = { due_by: '2026-11-18T23:59:59.999Z', on_time: false }

  test('begins after the day here, whatever the service says of a day of UTC', () => {
    vi.stubEnv('TZ', 'America/Los_Angeles')
    expect(isLate(due, new Date('2026-11-19T02:20:00Z'))).toBe(false)
    expect(isLate(due, new Date('2026-11-19T08:00:00Z'))).toBe(true)
    expect(isLate({ ...due, end: '2026-11-19T02:20:00Z' }, new Date('2026-11-25T08:00:00Z'))).toBe(false)
    vi.stubEnv('TZ', 'Pacific/Auckland')
    expect(isLate({ ...due, on_time: true }, new Date('2026-11-18T12:00:00Z'))).toBe(true)
  })

  test('of a moment is what the service says', () => {
    expect(isLate({ due_by: '2026-11-01T08:00:00.000Z', on_time: false }, now)).toBe(true)
    expect(isLate({ due_by: '2026-11-01T08:00:00.000Z', on_time: true }, now)).toBe(false)
    expect(isLate({ due_by: null, on_time: false }, now)).toBe(false)
  })
})

describe('what is wrong', () => {
  test('is nothing with an order that is fine', () => {
    expect(troublesOf(order({ due_by: '2026-11-30T23:59:59.999Z' }), now)).toEqual([])
  })

  test('is told with the worst first', () => {
    const late = order({
      critical: true,
      on_time: false,
      due_by: '2026-11-14T23:59:59.999Z',
      qt_scrap: '1.5',
      jobs: [job({ issues_open: 1 })],
    })
    expect(troublesOf(late, now, true)).toEqual([
      { kind: 'critical' },
      { kind: 'late', days: 3 },
      { kind: 'scrap', quantity: '1.5' },
      { kind: 'unassigned', count: 1 },
    ])
  })

  test('counts the days of a finished order up to its end', () => {
    const closed = order({
      status: 'closed',
      on_time: false,
      due_by: '2026-11-01T23:59:59.999Z',
      end: '2026-11-03T12:00:00.000Z',
    })
    expect(troublesOf(closed, now)).toEqual([{ kind: 'late', days: 2 }])
  })
})
