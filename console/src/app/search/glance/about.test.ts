import { describe, expect, it } from 'vitest'
import type { Schemas } from '@/api'
import { addressOf, isThere, nameOf, ofIssue, ofTask } from './about'

const job = {
  _key: 'j1',
  wo_key: 'w1',
  phase_alias: 'Assembly',
  product_key: 'du-250',
  product_description: 'Mid-drive unit',
} as Schemas['Job']
const serial = { _key: 's1', product_key: 'du-250', state: 'wip' } as Schemas['Serial']
const none = { job: null, product: null, operation: null, phase: null, work_order: null, serial: null }
const things = ofIssue({ ...none, job, serial })

describe('what a thing is about', () => {
  it('leads a job to its order, and names its phase', () => {
    const link = { type: 'job', key: 'j1', code: 'WO-1' } as const
    expect(addressOf(link, things)).toBe('/order/w1')
    expect(nameOf(link, things)).toBe('Assembly')
  })

  it('leads nowhere from a job that the service did not tell about', () => {
    const link = { type: 'job', key: 'j2', code: 'WO-2' } as const
    expect(addressOf(link, things)).toBeUndefined()
    expect(nameOf(link, things)).toBeUndefined()
  })

  it('leads to pages by key, and not from people and projects', () => {
    expect(addressOf({ type: 'serial', key: 'a/b', code: 'A' }, things)).toBe('/serial/a%2Fb')
    expect(addressOf({ type: 'work_order', key: 'w1', code: 'WO-1' }, things)).toBe('/order/w1')
    expect(addressOf({ type: 'project', key: 'p', code: 'p' }, things)).toBeUndefined()
    expect(addressOf({ type: 'user', key: 'u', code: 'u' }, things)).toBeUndefined()
  })

  it('is left out if it is gone, but not if it has no code yet', () => {
    expect(isThere({ type: 'serial', key: 's1', code: null }, things)).toBe(true)
    expect(isThere({ type: 'serial', key: 's2', code: null }, things)).toBe(false)
    expect(isThere({ type: 'work_order', key: 'w1', code: null }, things)).toBe(false)
    expect(isThere({ type: 'work_order', key: 'w1', code: 'WO-1' }, things)).toBe(true)
  })

  it('leads a phase to the process of its product', () => {
    const phase = { _key: 'ph', product_key: 'du-250' } as Schemas['Phase']
    const link = { type: 'phase', key: 'ph', code: 'Assembly' } as const
    expect(addressOf(link, ofIssue({ ...none, phase }))).toBe('/product/du-250/process')
  })

  it('names the product of a unit by whatever names it', () => {
    expect(nameOf({ type: 'serial', key: 's1', code: 'DU7-1' }, things)).toBe('Mid-drive unit')
    const alone = ofIssue({ ...none, serial })
    expect(nameOf({ type: 'serial', key: 's1', code: 'DU7-1' }, alone)).toBeUndefined()
  })

  it('reads the links of a task by their kind, and leaves out what is gone', () => {
    const link = (type: 'issue' | 'task', l: unknown) => ({ link_key: 'l', type, key: 'x', code: 'X', l })
    const task = { _key: 'x', title: 'Look again' }
    const links = [link('task', task), link('issue', null)] as Schemas['TaskLink'][]
    expect(nameOf({ type: 'task', key: 'x', code: 'X' }, ofTask(links))).toBe('Look again')
    expect(ofTask(links).issues).toEqual([])
  })
})
