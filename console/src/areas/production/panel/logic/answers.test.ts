import { describe, expect, it } from 'vitest'
import type { Schemas } from '@/api'
import type { Drafts } from '@/ui/FormFields'
import { formField as field } from '@/ui/form/fixtures'
import { answersOf, firstFault, unanswered, withAnswer, withoutSent } from './answers'
import { step } from './samples'
import type { StepView } from './steps'

const EN = { group: ',', decimal: '.' }
const IT = { group: '.', decimal: ',' }

function view(fields: Schemas['FormField'][], stored: StepView['stored'] = []): StepView {
  return {
    step: step('s', { type: 'form', form_fields: fields }),
    done: false,
    critical: false,
    recordKey: null,
    stored,
  }
}

/** Typed at the step of `view`, in a language. */
function draft(typed: Drafts = {}, separators = EN) {
  return { answers: { s: typed }, separators: { s: separators } }
}

const torque = field('torque', 'number')
const seen = field('seen', 'boolean')
const stored: StepView['stored'] = [{ form_field_key: 'torque', custom_field_key: 'torque', value: 5.5 }]

describe('answers of a step', () => {
  it('begin with what the service has', () => {
    const answers = answersOf(view([torque], stored), draft(), IT)
    expect(answers.drafts).toEqual({ torque: '5,5' })
    expect([answers.changed, firstFault(answers)]).toEqual([false, -1])
  })
  it('give what was typed the last word', () => {
    const answers = answersOf(view([torque], stored), draft({ torque: '6' }), EN)
    expect(answers.data).toEqual([{ form_field_key: 'torque', value: 6 }])
    expect(answers.changed).toBe(true)
  })
  it('are not changed where the same value is written otherwise', () => {
    expect(answersOf(view([torque], stored), draft({ torque: '5.50' }), EN).changed).toBe(false)
    expect(answersOf(view([torque], stored), draft({ torque: 'x' }), EN).changed).toBe(true)
    expect(answersOf(view([torque], stored), draft({ torque: null }), EN).changed).toBe(true)
  })
  it('are the service’s once they are sent, but not what was typed meanwhile', () => {
    const typed = draft({ torque: '5.50' })
    expect(withoutSent(typed, 's', { torque: '5.50' })).toEqual({ answers: {} })
    expect(withoutSent(typed, 's', { torque: '5.5' })).toEqual({ answers: typed.answers })
    expect(withoutSent(typed, 'other', undefined)).toEqual({ answers: typed.answers })
  })
  it('find the first question that is open', () => {
    const answers = answersOf(view([torque, seen]), draft({ torque: '6' }), EN)
    expect(firstFault(answers)).toBe(1)
    expect(firstFault(answersOf(view([torque, seen]), draft({ torque: 'x', seen: true }), EN))).toBe(0)
  })
  it('ask neither headings nor hidden fields', () => {
    const fields = [field('head', 'separator'), field('auto', 'text', { hidden: true, default: 'x' }), torque]
    expect(answersOf(view(fields), draft(), EN).questions.map(({ key }) => key)).toEqual(['torque'])
  })
  it('ask nothing at an instruction', () => {
    const plain = { ...view([]), step: step('s', { form_fields: [torque] }) }
    expect(answersOf(plain, draft(), EN)).toMatchObject({ questions: [], data: [], changed: false })
  })
  it('keep their value when the language changes', () => {
    const note = field('note', 'text')
    const several = field('several', 'number', { multiple: true })
    const english = draft({ torque: '1.375', note: '1.375', several: ['1,250', '0.5'] })
    const answers = answersOf(view([torque, note, several]), english, IT)
    expect(answers.drafts).toEqual({ torque: '1,375', note: '1.375', several: ['1250', '0,5'] })
    expect(answers.data[0]).toEqual({ form_field_key: 'torque', value: 1.375 })
  })
  it('are all in one language after the next is typed', () => {
    const length = field('length', 'number')
    const both = view([torque, length])
    const after = withAnswer(both, draft({ torque: '1.375' }), IT, 'length', '2,125')
    expect(after).toEqual({ answers: { s: { torque: '1,375', length: '2,125' } }, separators: { s: IT } })
    expect(answersOf(both, after, EN).drafts).toEqual({ torque: '1.375', length: '2.125' })
  })
})

it('counts what is left to answer', () => {
  const must = view([field('torque', 'number', { mandatory: true }), field('note', 'text', { mandatory: false })])
  const typed = (answers: Drafts) => ({ answers: { s: answers }, separators: { s: EN } })
  expect(unanswered(answersOf(must, typed({}), EN))).toBe(1)
  expect(unanswered(answersOf(must, typed({ torque: 'five' }), EN))).toBe(1)
  expect(unanswered(answersOf(must, typed({ torque: '5' }), EN))).toBe(0)
})
