import { afterEach, describe, expect, test, vi } from 'vitest'
import { job, order } from '../fixtures'
import { contains, countsOf, filtered } from './filters'
import { ofProduct, planPage } from './of-product'
import { listQuery, readPlanSearch } from './search'

const running = order({ _key: 'r', status: 'started', active: true, project_code: 'Harbour' })
const held = job({ stage: 'started', active_batch_key: 'b' })
const paused = order({ _key: 'p', status: 'started', critical: true, jobs: [held] })
const late = order({ _key: 'l', on_time: false, due_by: '2026-11-01T23:59:59.999Z' })
const risky = order({
  _key: 'k',
  due_by: '2026-11-20T23:59:59.999Z',
  jobs: [job({ estimated_completion: '2026-11-25T00:00:00.000Z' })],
})
const all = [running, paused, late, risky]

describe('the choices above the queue', () => {
  test('count what they show', () => {
    expect(countsOf(all)).toEqual({ running: 1, paused: 1, todo: 2, late: 2, critical: 1 })
    expect(filtered(all, 'late', undefined)).toEqual([late, risky])
    expect(filtered(all, 'paused', undefined)).toEqual([paused])
    expect(filtered(all, undefined, undefined)).toEqual(all)
  })

  test('take an order between two batches for a running one', () => {
    const between = order({ status: 'started', jobs: [job({ stage: 'started' })] })
    expect(filtered([between], 'running', undefined)).toEqual([between])
    expect(filtered([between], 'paused', undefined)).toEqual([])
  })

  test('find every word that was typed, in any field', () => {
    expect(contains(running, 'harb axle')).toBe(true)
    expect(contains(running, 'wo-1')).toBe(true)
    expect(contains(running, 'harbour wheel')).toBe(false)
    expect(contains(running, '  ')).toBe(true)
  })
})

describe('the orders of a product', () => {
  const other = order({ _key: 'o', product_key: 'other' })

  test('are those that make it', () => {
    expect(ofProduct([...all, other], 'other')).toEqual([other])
    expect(ofProduct([...all, other], undefined)).toHaveLength(5)
  })

  test('have an address, in the queue and in the list of all', () => {
    expect(planPage({})).toBe('/plan')
    expect(planPage({ of: 'a b' })).toBe('/plan?of=a+b')
    expect(planPage({ view: 'orders', of: '007' })).toBe('/plan?view=orders&of=007')
    expect(readPlanSearch({ of: '007' }).of).toBe('007')
    expect(listQuery({ of: '007' }).product_key).toBe('007')
  })
})

describe('the address of the plan', () => {
  afterEach(() => void vi.unstubAllEnvs())

  test('holds filters, and drops what it does not know', () => {
    expect(
      readPlanSearch({ show: 'late', q: '007', view: 'orders', new: 'true', end_from: '2026-11-01' }),
    ).toMatchObject({
      show: 'late',
      q: '007',
      view: 'orders',
      new: true,
      end_from: '2026-11-01',
    })
    expect(readPlanSearch({ show: 'odd', view: 'x', start_to: 'soon', state: 'half' })).toMatchObject({
      show: undefined,
      view: undefined,
      start_to: undefined,
      state: undefined,
    })
  })

  test('becomes what the service is asked', () => {
    expect(listQuery({})).toMatchObject({ open: true, closed: true })
    expect(listQuery({ state: 'open', q: 'x' })).toMatchObject({ open: true, closed: false, search: 'x' })
    expect(listQuery({ state: 'closed', end_to: '2026-11-01' })).toMatchObject({
      open: false,
      closed: true,
    })
  })

  test('asks for days as they are here', () => {
    vi.stubEnv('TZ', 'America/New_York')
    expect(listQuery({ start_from: '2026-11-18', end_to: '2026-11-18' })).toMatchObject({
      time_start_from: '2026-11-18T05:00:00.000Z',
      time_start_to: undefined,
      time_end_from: undefined,
      time_end_to: '2026-11-19T04:59:59.999Z',
    })
  })
})
