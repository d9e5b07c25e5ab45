import { describe, expect, it } from 'vitest'
import type { Schemas } from '@/api'
import { formField as field } from '@/ui/form/fixtures'
import { answersOf, firstFault } from './answers'
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

const torque = field('torque', 'number')
const seen = field('seen', 'boolean')
const stored: StepView['stored'] = [{ form_field_key: 'torque', custom_field_key: 'torque', value: 5.5 }]

describe('answers of a step', () => {
  it('begin with what the service has', () => {
    const answers = answersOf(view([torque], stored), undefined, IT)
    expect(answers.drafts).toEqual({ torque: '5,5' })
    expect([answers.changed, firstFault(answers)]).toEqual([false, -1])
  })
  it('give what was typed the last word', () => {
    const answers = answersOf(view([torque], stored), { torque: '6' }, EN)
    expect(answers.data).toEqual([{ form_field_key: 'torque', value: 6 }])
    expect(answers.changed).toBe(true)
  })
  it('find the first question that is open', () => {
    const answers = answersOf(view([torque, seen]), { torque: '6' }, EN)
    expect(firstFault(answers)).toBe(1)
    expect(firstFault(answersOf(view([torque, seen]), { torque: 'x', seen: true }, EN))).toBe(0)
  })
  it('ask neither headings nor hidden fields', () => {
    const fields = [field('head', 'separator'), field('auto', 'text', { hidden: true, default: 'x' }), torque]
    expect(answersOf(view(fields), undefined, EN).questions.map(({ key }) => key)).toEqual(['torque'])
  })
  it('ask nothing at an instruction', () => {
    const plain = { ...view([]), step: step('s', { form_fields: [torque] }) }
    expect(answersOf(plain, undefined, EN)).toMatchObject({ questions: [], data: [], changed: false })
  })
})
