import { describe, expect, it } from 'vitest'
import { job, order } from '@/areas/production/fixtures'
import { filtered } from '@/areas/production/plan/filters'
import { lagging, lagOf } from './pace'

const now = new Date('2026-11-17T12:00:00Z')
const late = order({ on_time: false, due_by: '2026-11-16T12:00:00Z' })
const later = order({ on_time: false, due_by: '2026-11-10T12:00:00Z' })
const risky = order({
  due_by: '2026-11-18T12:00:00Z',
  jobs: [job({ estimated_completion: '2026-11-19T08:00:00Z' })],
})
const slow = order({ due_by: '2026-11-18T12:00:00Z', progress: 0 })

describe('an order', () => {
  it('is late once its date has passed, and at risk if its jobs reach beyond it', () => {
    expect(lagOf(late, now)).toMatchObject({ kind: 'late' })
    expect(lagOf(risky, now)).toEqual({ kind: 'risk', expected: '2026-11-19T08:00:00Z' })
    expect(lagOf(slow, now)).toBeUndefined()
  })
})

describe('the orders that lag', () => {
  it('come with the worst first', () => {
    expect(lagging([risky, late, slow, later], now).map((one) => one.order)).toEqual([later, late, risky])
  })

  it('are those that the plan counts', () => {
    const all = [risky, late, slow, later]
    expect(lagging(all, now)).toHaveLength(filtered(all, 'late', undefined).length)
  })
})
