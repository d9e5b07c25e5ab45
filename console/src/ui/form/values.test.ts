import { describe, expect, it } from 'vitest'
import { formField } from './fixtures'
import { rawNumber } from './raw-number'
import { draftOf, type Field, type FieldKind, faultsOf, fieldOf, formData, readDraft } from './values'

const EN = { group: ',', decimal: '.' }
const IT = { group: '.', decimal: ',' }

function field(kind: FieldKind, rest: Partial<Field> = {}): Field {
  return { key: 'f', customKey: 'c', kind, label: 'F', mandatory: false, multiple: false, hidden: false, ...rest }
}

describe('reading drafts', () => {
  it('takes texts and trims them', () => {
    expect(readDraft(field('text'), '  ok ', EN)).toEqual({ value: 'ok' })
    expect(readDraft(field('text'), '', EN)).toEqual({ value: null })
    expect(readDraft(field('text'), 'x'.repeat(10_001), EN)).toMatchObject({ fault: { key: 'ui.form.long' } })
  })

  it('takes numbers as the language writes them', () => {
    expect(readDraft(field('number'), '5.5', EN)).toEqual({ value: 5.5 })
    expect(readDraft(field('number'), '1.234,5', IT)).toEqual({ value: 1234.5 })
    expect(readDraft(field('number'), '5 bar', EN)).toMatchObject({ fault: { key: 'ui.form.number' } })
    expect(readDraft(field('number'), '1234567890123456', EN)).toMatchObject({ fault: { key: 'ui.form.digits' } })
    expect(readDraft(field('number', { min: '2', max: '8.5' }), '1.9', EN)).toMatchObject({
      fault: { key: 'ui.form.min' },
    })
    expect(readDraft(field('number', { min: '2', max: '8.5' }), '8.51', EN)).toMatchObject({
      fault: { key: 'ui.form.max' },
    })
    expect(readDraft(field('number', { min: '2', max: '8.5' }), '8.5', EN)).toEqual({ value: 8.5 })
  })

  it('asks for the other spelling where a text could be two numbers', () => {
    expect(readDraft(field('number'), '1.250', IT)).toEqual({
      fault: { key: 'typed.twoNumbers', values: { text: '1.250', whole: '1250', fraction: '1,250' } },
    })
    expect(readDraft(field('number'), '-1,250', EN)).toEqual({
      fault: { key: 'typed.twoNumbers', values: { text: '-1,250', whole: '-1250', fraction: '-1.250' } },
    })
    expect(readDraft(field('number', { multiple: true }), ['2', '12.500'], IT)).toHaveProperty('fault')
  })

  it('takes what can be only one number', () => {
    const read = (text: string, separators = IT) => readDraft(field('number'), text, separators)
    expect(read('1,250')).toEqual({ value: rawNumber('1.250') })
    expect(read('1250')).toEqual({ value: 1250 })
    expect(read('0.125')).toEqual({ value: 0.125 })
    expect(read('1.25')).toEqual({ value: 1.25 })
    expect(read('1.2500')).toEqual({ value: rawNumber('1.2500') })
    expect(read('1.250.000')).toEqual({ value: 1_250_000 })
    expect(read('1.250,5')).toEqual({ value: 1250.5 })
    expect(read('1.250', EN)).toEqual({ value: rawNumber('1.250') })
    expect(read('1,250', { group: '’', decimal: '.' })).toMatchObject({ fault: { key: 'ui.form.number' } })
  })

  it('takes dates and times', () => {
    expect(readDraft(field('date'), '2026-11-17', EN)).toEqual({ value: '2026-11-17' })
    expect(readDraft(field('date'), '17/11', EN)).toMatchObject({ fault: { key: 'ui.form.date' } })
    expect(readDraft(field('time'), '14:30', EN)).toEqual({ value: '14:30' })
    expect(readDraft(field('time'), '2 pm', EN)).toMatchObject({ fault: { key: 'ui.form.time' } })
  })

  it('takes several where the field does', () => {
    expect(readDraft(field('number', { multiple: true }), ['1', '', '2.5'], EN)).toEqual({ value: [1, 2.5] })
    expect(readDraft(field('text', { multiple: true }), ['', ' '], EN)).toEqual({ value: null })
    const two = [
      { _key: 'a', value: 'A' },
      { _key: 'b', value: 'B' },
    ]
    expect(readDraft(field('choice', { multiple: true }), two, EN)).toEqual({ value: [{ _key: 'a' }, { _key: 'b' }] })
  })

  it('knows what fills a mandatory field', () => {
    const must = { mandatory: true }
    expect(readDraft(field('boolean', must), false, EN)).toMatchObject({ fault: { key: 'ui.form.tick' } })
    expect(readDraft(field('boolean', must), true, EN)).toEqual({ value: true })
    expect(readDraft(field('ternary', must), null, EN)).toMatchObject({ fault: { key: 'ui.form.missing' } })
    expect(readDraft(field('ternary', must), false, EN)).toEqual({ value: false })
    expect(readDraft(field('choice', must), null, EN)).toMatchObject({ fault: { key: 'ui.form.missing' } })
    expect(readDraft(field('files', must), [], EN)).toMatchObject({ fault: { key: 'ui.form.missing' } })
    expect(readDraft(field('text', must), '  ', EN)).toMatchObject({ fault: { key: 'ui.form.missing' } })
    expect(readDraft(field('separator', must), null, EN)).toEqual({ value: null })
  })
})

describe('drafts of stored values', () => {
  it('show numbers in the language, and defaults where there is nothing', () => {
    expect(draftOf(field('number'), 5.5, IT)).toBe('5,5')
    expect(draftOf(field('number', { multiple: true }), [1, 2.5], EN)).toEqual(['1', '2.5'])
    const tiny = draftOf(field('number'), 0.0000005, IT)
    expect(tiny).toBe('0,0000005')
    expect(readDraft(field('number'), tiny, IT)).toEqual({ value: 0.0000005 })
    expect(draftOf(field('text', { default: 'none' }), null, EN)).toBe('none')
    const preset = draftOf(field('number', { default: '1.250' }), null, IT)
    expect(preset).toBe('1,250')
    expect(readDraft(field('number'), preset, IT)).toEqual({ value: rawNumber('1.250') })
    expect(draftOf(field('ternary', { default: 'true' }), null, EN)).toBe(true)
    expect(draftOf(field('choice'), { _key: 'a', value: 'A' }, EN)).toEqual({ _key: 'a', value: 'A' })
    expect(draftOf(field('files'), [{ name: 'a.jpg', size: 3 }], EN)).toEqual([{ name: 'a.jpg', size: 3 }])
  })
})

describe('forms', () => {
  const fields = [
    field('separator', { key: 's' }),
    field('number', { key: 'torque', mandatory: true }),
    field('text', { key: 'note' }),
    field('text', { key: 'secret', hidden: true, mandatory: true }),
  ]

  it('name all faults at once', () => {
    expect([...faultsOf(fields, { note: 'x' }, EN).keys()]).toEqual(['torque'])
  })

  it('send what people answered, without separators and hidden fields', () => {
    expect(formData(fields, { torque: '5.5', note: '' }, EN)).toEqual([
      { form_field_key: 'torque', value: 5.5 },
      { form_field_key: 'note', value: null },
    ])
  })

  it('are read from the API', () => {
    const read = fieldOf(formField('k', 'text', { name: 'Note' }))
    expect(read).toMatchObject({ key: 'k', label: 'Note', mandatory: true, hint: undefined })
  })
})
