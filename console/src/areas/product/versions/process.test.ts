import { describe, expect, it } from 'vitest'
import { formField } from '@/ui/form/fixtures'
import type { Order, Step } from '../queries'
import { compareProcesses, orderOfVersion, type PhaseView } from './process'

const params: PhaseView['params'] = {
  parallel_job_allowed: true,
  step_check: false,
  step_check_force_order: false,
  production_batch_qt: 1,
  auto_new_batch: true,
  max_offline: 300,
  std_processing_time: 60,
  unsupervised_work_allowed: false,
  display_job_timer: false,
}

const step = (key: string, change: Partial<Step> = {}): Step => ({
  _id: `Step/${key}`,
  _key: key,
  _rev: '1',
  title: key,
  description: null,
  type: 'instruction',
  form_fields: [],
  trashed: null,
  media: [],
  ...change,
})

const phase = (key: string, change: Partial<PhaseView> = {}): PhaseView => ({
  key,
  alias: key,
  operation: 'assembly',
  params,
  notes: null,
  steps: [],
  ...change,
})

const found = (before: PhaseView[], after: PhaseView[]) =>
  compareProcesses(before, after)
    .filter(({ kind }) => kind !== 'same')
    .map(({ of, title, kind, aspects }) => [of, title, kind, aspects.map(({ name }) => name).join()])

describe('compareProcesses', () => {
  it('finds nothing between equals', () => {
    expect(found([phase('a', { steps: [step('s')] })], [phase('a', { steps: [step('s')] })])).toEqual([])
  })

  it('finds phases that came, went and changed', () => {
    const before = [phase('a'), phase('b')]
    const after = [phase('c'), phase('a', { params: { ...params, production_batch_qt: 5 }, notes: 'Mind the cable' })]
    expect(found(before, after)).toEqual([
      ['phase', 'c', 'added', ''],
      ['phase', 'a', 'changed', 'notes,production_batch_qt'],
      ['phase', 'b', 'removed', ''],
    ])
  })

  it('says nothing about notes that nothing kept', () => {
    const { notes: _, ...kept } = phase('a')
    expect(found([kept], [phase('a', { notes: 'Mind the cable' })])).toEqual([])
  })

  it('finds what changed in a step', () => {
    const form = formField('torque', 'number')
    const before = [phase('a', { steps: [step('s', { form_fields: [form] }), step('t')] })]
    const after = [
      phase('a', {
        steps: [step('t'), step('s', { description: 'Tighten', form_fields: [{ ...form, mandatory: false }] })],
      }),
    ]
    expect(found(before, after)).toEqual([
      ['step', 't', 'changed', 'place'],
      ['step', 's', 'changed', 'place,text,fields'],
    ])
  })

  it('takes copies with new keys for the same by their names', () => {
    const before = [phase('a', { alias: 'Prep', steps: [step('s1', { title: 'Clean' })] })]
    const after = [phase('z', { alias: 'Prep', steps: [step('s9', { title: 'Clean' })] })]
    expect(found(before, after)).toEqual([])
  })
})

describe('orderOfVersion', () => {
  it('takes the newest order of the version', () => {
    const order = (wo_code: string, bom_version: number | null, created: string) =>
      ({ wo_code, bom_version, created }) as Order
    const orders = [order('A', 1, '2026-01-01'), order('B', 1, '2026-02-01'), order('C', 2, '2026-03-01')]
    expect(orderOfVersion(orders, 1)?.wo_code).toBe('B')
    expect(orderOfVersion(orders, 3)).toBeUndefined()
  })
})
