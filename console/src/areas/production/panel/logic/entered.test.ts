import { describe, expect, it } from 'vitest'
import type { StepRecord } from '../model'
import { answersOf } from './answers'
import { answerWords, enteredAt } from './entered'
import { job, step } from './samples'
import { stepsOf } from './steps'

const english = { group: ',', decimal: '.' }
const words = { yes: 'Yes', no: 'No', date: (day: string) => `<${day}>` }

function field(key: string, label: string) {
  const rest = { hint: null, default_label: null, default_hint: null, default: null, min: null, max: null }
  const flags = { multiple: false, mandatory: true, hidden: false, critical: false, copy_to_serial: false }
  return { _key: key, custom_field_key: `c-${key}`, type: 'number' as const, name: key, label, ...rest, ...flags }
}

const torque = step('torque', { type: 'form', form_fields: [field('nm', 'Torque, Nm')] as never })
const record = (key: string, critical = false): StepRecord => ({
  _key: key,
  type: 'form',
  done: true,
  critical,
  form_data: [{ form_field_key: 'nm', value: '1.25' }] as never,
  execution_record_key: `r-${key}`,
})

function entered(steps: ReturnType<typeof step>[], typed: Record<string, string> = {}) {
  const batch = { step_data: steps.map(({ _key }) => record(_key, _key === 'torque')) }
  const views = stepsOf(job({ step_sequence: steps }), batch, [], [])
  const draft = { answers: { torque: typed }, separators: {} }
  return enteredAt(views, (at) => answersOf(views[at] as (typeof views)[number], draft, english), words)
}

describe('what was entered', () => {
  it('is that of the steps that ask something, as it is stored', () => {
    const answers = [{ key: 'nm', label: 'Torque, Nm', words: '1.25' }]
    expect(entered([step('clean'), torque])).toEqual([{ key: 'torque', title: 'torque', critical: true, answers }])
  })

  it('is what was typed since', () => {
    expect(entered([step('clean'), torque], { nm: '2' })[0]?.answers[0]?.words).toBe('2')
    expect(entered([step('clean'), torque], { nm: ' ' })[0]?.answers[0]?.words).toBeNull()
  })

  it('has a step alone, even if it asks nothing', () => {
    expect(entered([step('clean')])).toEqual([{ key: 'clean', title: 'clean', critical: false, answers: [] }])
    expect(entered([step('clean'), step('dry')])).toEqual([])
  })
})

describe('an answer', () => {
  it('is said in words', () => {
    expect(answerWords({ kind: 'boolean' }, true, words)).toBe('Yes')
    expect(answerWords({ kind: 'ternary' }, false, words)).toBe('No')
    expect(answerWords({ kind: 'date' }, '2026-11-01', words)).toBe('<2026-11-01>')
    expect(answerWords({ kind: 'text' }, ['a', 'b'], words)).toBe('a, b')
    expect(answerWords({ kind: 'choice' }, { _key: 'c', value: 'Blue' }, words)).toBe('Blue')
    expect(answerWords({ kind: 'files' }, [{ name: 'seal.jpg', size: 7 }], words)).toBe('seal.jpg')
  })

  it('may be missing', () => {
    expect(answerWords({ kind: 'text' }, null, words)).toBeNull()
    expect(answerWords({ kind: 'files' }, undefined, words)).toBeNull()
    expect(answerWords({ kind: 'text' }, '  ', words)).toBeNull()
  })
})
