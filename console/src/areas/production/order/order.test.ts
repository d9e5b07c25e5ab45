import { describe, expect, test } from 'vitest'
import { job, order } from '../fixtures'
import {
  divisible,
  refuseCancelBatch,
  refuseClose,
  refuseDelete,
  refusePause,
  refuseQuantity,
  refuseReset,
  refuseSplit,
} from './allowed'
import { changesOf, editedOf, wrongIn } from './edit'
import { fieldColumns, type TracedRow, valueIn, valuesLine, valueText } from './values'

describe('what may be done', () => {
  test('follows the rules of production', () => {
    const busy = job({ stage: 'started', active: true, active_batch_key: 'b' })
    const idle = job({ stage: 'started', active_batch_key: 'b' })
    expect(refusePause(busy)).toBeNull()
    expect(refusePause(idle)).toBe('production.why.idle')
    expect(refuseCancelBatch(idle)).toBeNull()
    expect(refuseCancelBatch(busy)).toBe('production.why.active')
    expect(refuseCancelBatch(job())).toBe('production.why.noBatch')
    expect(refuseReset(job())).toBe('production.why.notStarted')
    expect(refuseReset(idle)).toBeNull()
  })

  test('leaves what is made or in work undivided', () => {
    expect(divisible(job({ qt_planned: '10', qt_completed: '2.5', qt_scrap: 1, active_batch_qt: 2 }))).toBe('4.5')
    expect(refuseSplit(job())).toBeNull()
    expect(refuseSplit(job({ qt_planned: 3, active_batch_qt: 3 }))).toBe('production.why.nothingLeft')
  })

  test('to an order depends on its open jobs', () => {
    const done = job({ stage: 'closed' })
    expect(refuseClose(order({ jobs: [done, job()] }))).toBeNull()
    expect(refuseClose(order({ jobs: [done, job({ active_batch_key: 'b' })] }))).toBe('production.why.batchOpen')
    expect(refuseClose(order({ status: 'closed', jobs: [done] }))).toBe('production.why.closed')
    expect(refuseDelete(order())).toBeNull()
    expect(refuseDelete(order({ status: 'started' }))).toBe('production.why.started')
    expect(refuseQuantity(order({ jobs: [job(), job()] }))).toBe('production.why.split')
  })
})

describe('editing', () => {
  const before = editedOf(order({ due_by: '2026-11-20T23:59:59.999Z', project_code: 'Hill', notes: 'a' }))

  test('begins with what the order has', () => {
    expect(before).toEqual({ due: '2026-11-20', from: '', project: 'Hill', notes: 'a', position: null })
  })

  test('shows moments as days of the place, as the page does', () => {
    const evening = order({ due_by: '2026-11-20T23:30:00.000Z', start_from: '2026-11-18T03:00:00.000Z' })
    expect(editedOf(evening, 'Europe/Rome')).toMatchObject({ due: '2026-11-21', from: '2026-11-18' })
    expect(editedOf(evening, 'America/New_York')).toMatchObject({ due: '2026-11-20', from: '2026-11-17' })
    expect(editedOf(order({ start_from: '2026-11-18T00:00:00.000Z' }), 'America/New_York').from).toBe('2026-11-18')
  })

  test('sends only what differs, and null for what was cleared', () => {
    expect(changesOf(before, before)).toEqual({})
    expect(changesOf(before, { ...before, due: '2026-11-21', project: ' ', position: 'x' })).toEqual({
      new_due_date: '2026-11-21',
      new_project_code: null,
      new_output_position_key: 'x',
    })
  })

  test('refuses a due date before the start', () => {
    expect(wrongIn({ ...before, from: '2026-11-21' })).toHaveLength(1)
    expect(wrongIn({ ...before, from: '2026-11-20' })).toHaveLength(0)
  })

  test('refuses a project that is too long', () => {
    expect(wrongIn({ ...before, project: 'a'.repeat(128) })).toEqual([])
    expect(wrongIn({ ...before, project: 'a'.repeat(129) }).map(({ path }) => path)).toEqual(['new_project_code'])
  })
})

describe('what was entered', () => {
  const words = {
    yes: 'Yes',
    no: 'No',
    number: (value: string | number) => `#${value}`,
    date: (day: string) => `@${day}`,
  }

  test('is written by its type', () => {
    const text = (field_type: string, value: unknown) => valueText({ field_type, value }, words)
    expect(text('number', 46.5)).toBe('#46.5')
    expect(text('number', '1234567890.1234567')).toBe('#1234567890.1234567')
    expect(text('boolean', true)).toBe('Yes')
    expect(text('ternary', null)).toBe('')
    expect(text('choice', { _key: 'a', value: 'HLP 46' })).toBe('HLP 46')
    expect(
      text('files', [
        { name: 'a.pdf', size: 1 },
        { name: 'b.pdf', size: 2 },
      ]),
    ).toBe('a.pdf, b.pdf')
    expect(text('date', '2026-11-20')).toBe('@2026-11-20')
    expect(text('text', 'fine')).toBe('fine')
  })

  test('has a column for each field, named apart where labels are alike', () => {
    const field = (key: string, label: string | null, type: 'number' | 'separator' = 'number') => ({
      _key: key,
      type,
      label,
      default_label: null,
      name: 'Torque',
    })
    const columns = fieldColumns([
      {
        phase_alias: 'Build',
        step_sequence: [{ _key: 's1', form_fields: [field('a', null), field('x', 'x', 'separator')] }],
      },
      { phase_alias: 'Test', step_sequence: [{ _key: 's2', form_fields: [field('a', 'Torque'), field('b', 'Leak')] }] },
    ])
    expect(columns).toEqual([
      { id: 's1 a', label: 'Build: Torque' },
      { id: 's2 a', label: 'Test: Torque' },
      { id: 's2 b', label: 'Leak' },
    ])
  })

  test('is found by its column, the value of the unit first', () => {
    const row: TracedRow = {
      step_key: 's2',
      step_title: 'Check',
      serial_code: null,
      serial_key: null,
      batch_key: 'b',
      batch_qt: 1,
      job_key: 'j',
      operator_key: null,
      operator_username: null,
      timestamp: null,
      phase_key: 'p',
      phase_alias: 'Test',
      form_fields: [
        {
          form_field_key: 'a',
          custom_field_key: 't',
          field_type: 'number',
          field_label: 'Torque',
          value: 4,
          serial_field_value: 5,
        },
        {
          form_field_key: 'b',
          custom_field_key: 'l',
          field_type: 'text',
          field_label: 'Leak',
          value: null,
          serial_field_value: null,
        },
      ],
    }
    expect(valueIn(row, 's2 a', words)).toBe('#5')
    expect(valueIn(row, 's1 a', words)).toBe('')
    expect(valuesLine(row, words)).toBe('Torque #5')
  })
})
