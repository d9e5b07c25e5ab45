import { describe, expect, it } from 'vitest'
import { expectedShare, lagging, lagOf, type PacedOrder } from './pace'

const now = Date.parse('2026-11-17T12:00:00Z')

function order(change: Partial<PacedOrder> = {}): PacedOrder {
  return {
    status: 'started',
    progress: 50,
    created: '2026-11-01T00:00:00Z',
    start: '2026-11-12T12:00:00Z',
    start_from: null,
    due_by: '2026-11-22T12:00:00Z',
    ...change,
  }
}

describe('how far an order should be', () => {
  it('is the share of its time that is gone', () => {
    expect(expectedShare(order(), now)).toBe(0.5)
    expect(expectedShare(order({ start: null, start_from: '2026-11-15T12:00:00Z' }), now)).toBeCloseTo(2 / 7)
  })

  it('is unknown before it begins, or without a date', () => {
    expect(expectedShare(order({ start: null }), now)).toBeUndefined()
    expect(expectedShare(order({ start: null, start_from: '2026-11-20T00:00:00Z' }), now)).toBeUndefined()
    expect(expectedShare(order({ due_by: null }), now)).toBeUndefined()
  })

  it('is all of it where it was started after its date', () => {
    expect(expectedShare(order({ due_by: '2026-11-10T00:00:00Z' }), now)).toBe(1)
  })
})

describe('an order', () => {
  it('is on time if it is about as far as it should be', () => {
    expect(lagOf(order(), now)).toBeUndefined()
    expect(lagOf(order({ progress: 42 }), now)).toBeUndefined()
  })

  it('is behind if it has done clearly less', () => {
    expect(lagOf(order({ progress: '20' }), now)).toMatchObject({ kind: 'behind', expected: 0.5 })
  })

  it('is late once its date has passed', () => {
    expect(lagOf(order({ due_by: '2026-11-16T12:00:00Z', progress: 99 }), now)).toEqual({
      kind: 'late',
      by: 86_400_000,
    })
  })

  it('is a worry if it is due soon and nobody has begun', () => {
    const idle = order({ status: 'created', start: null, progress: 0 })
    expect(lagOf({ ...idle, due_by: '2026-11-18T12:00:00Z' }, now)).toEqual({ kind: 'notStarted', left: 86_400_000 })
    expect(lagOf(idle, now)).toBeUndefined()
  })

  it('never lags when it is closed or has no date', () => {
    expect(lagOf(order({ status: 'closed', due_by: '2026-11-01T00:00:00Z' }), now)).toBeUndefined()
    expect(lagOf(order({ due_by: null, progress: 0 }), now)).toBeUndefined()
  })
})

it('names the worst order first', () => {
  const behind = order({ progress: 0 })
  const less = order({ progress: 30 })
  const late = order({ due_by: '2026-11-16T00:00:00Z' })
  const later = order({ due_by: '2026-11-10T00:00:00Z' })
  const found = lagging([less, late, order(), behind, later], now).map((one) => one.order)
  expect(found).toEqual([later, late, behind, less])
})
