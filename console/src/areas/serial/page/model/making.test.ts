import { describe, expect, it } from 'vitest'
import type { Schemas } from '@/api'
import { filesThen, isPicture } from './files'
import { formFieldsOf } from './form'
import { issuesThen } from './issues'
import { isFilled, makingAt } from './making'
import type { Field } from './past'

const on = (day: number) => `2026-10-${String(day).padStart(2, '0')}T12:00:00.000Z`
const time = (day: number) => Date.parse(on(day))
const field = (key: string, more: Partial<Field> = {}): Field =>
  ({ form_field_key: key, custom_field_key: `c-${key}`, phase_key: null, step_key: null, value: 1, ...more }) as Field
const step = (key: string, day: number, more: object = {}) =>
  ({
    step_key: key,
    step_title: key,
    phase_key: 'p',
    phase_alias: 'Test',
    status: 'done',
    timestamp: on(day),
    ...more,
  }) as Schemas['RecordStep']
const phases = [{ phase_key: 'p', phase_alias: 'Test', start: on(1), end: on(4) }]

describe('makingAt', () => {
  const fields = [field('own'), field('a', { phase_key: 'p', step_key: 's1' }), field('b', { phase_key: 'p' })]
  const input = { fields, steps: [step('s1', 2), step('s2', 4)], phases }

  it('puts values with their steps', () => {
    const making = makingAt(input, undefined)
    expect(making.own.map(({ form_field_key }) => form_field_key)).toEqual(['own'])
    expect(making.phases[0]).toMatchObject({ alias: 'Test', start: on(1), end: on(4) })
    expect(making.phases[0]?.steps.map(({ fields: list }) => list.length)).toEqual([1, 0])
    expect(making.phases[0]?.fields.map(({ form_field_key }) => form_field_key)).toEqual(['b'])
  })

  it('shows only what was done by then', () => {
    const making = makingAt(input, time(3))
    expect(making.phases[0]).toMatchObject({ start: on(1), end: null })
    expect(making.phases[0]?.steps.map(({ key }) => key)).toEqual(['s1'])
  })

  it('takes the last record of a step', () => {
    const twice = makingAt({ ...input, steps: [step('s1', 3, { operator_name: 'B' }), step('s1', 2)] }, undefined)
    expect(twice.phases[0]?.steps).toHaveLength(1)
    expect(twice.phases[0]?.steps[0]?.by).toBe('B')
  })
})

describe('isFilled', () => {
  it('sees what the service sees', () => {
    expect(isFilled({ field_type: 'boolean', value: false })).toBe(false)
    expect(isFilled({ field_type: 'ternary', value: false })).toBe(true)
    expect(isFilled({ field_type: 'text', value: ' ' })).toBe(false)
    expect(isFilled({ field_type: 'number', value: 0 })).toBe(true)
    expect(isFilled({ field_type: 'files', value: [] })).toBe(false)
  })
})

describe('formFieldsOf', () => {
  const data = [
    { form_field_key: 'a', custom_field_key: 'c-a', multiple: null, hidden: false, label: null, hint: 'look' },
    { form_field_key: null, custom_field_key: 'x' },
  ] as Schemas['SerialFieldValue'][]
  const record = [field('a', { field_type: 'number', label: 'Torque' })]

  it('makes fields of the values that have a form', () => {
    expect(formFieldsOf(data, record)).toEqual([
      expect.objectContaining({ key: 'a', kind: 'number', label: 'Torque', hint: 'look', multiple: false }),
    ])
    expect(formFieldsOf(data, record, 'b')).toEqual([])
  })
})

describe('issuesThen', () => {
  const issue = (key: string, created: number, closed: number | null, critical = false) =>
    ({
      issue_key: key,
      created: on(created),
      closed: closed && on(closed),
      open: closed === null,
      critical,
    }) as Schemas['RecordIssue']
  const issues = [issue('old', 1, 3), issue('new', 5, null), issue('bad', 4, null, true)]

  it('puts what is open and critical first', () => {
    expect(issuesThen(issues, undefined).map(({ issue_key }) => issue_key)).toEqual(['bad', 'new', 'old'])
  })

  it('shows what there was, as it was', () => {
    expect(issuesThen(issues, time(2))).toEqual([
      expect.objectContaining({ issue_key: 'old', open: true, closed: null }),
    ])
  })
})

describe('files', () => {
  it('are those that were there', () => {
    expect(filesThen([{ created: on(1) }, { created: on(5) }], time(2))).toHaveLength(1)
    expect(filesThen([{ created: on(1) }, { created: on(5) }], undefined)).toHaveLength(2)
  })

  it('are shown only if they are safe pictures', () => {
    expect(isPicture({ content_type: 'image/png' })).toBe(true)
    expect(isPicture({ content_type: 'image/svg+xml' })).toBe(false)
  })
})
