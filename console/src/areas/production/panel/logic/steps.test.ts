import { describe, expect, it } from 'vitest'
import type { StepRecord } from '../model'
import { job, step } from './samples'
import { isLastOpen, mayOpen, stepAt, stepsOf } from './steps'

const three = [step('a'), step('b', { type: 'form' }), step('c')]
const record = (key: string, done: boolean, critical = false): StepRecord => ({
  _key: key,
  type: 'instruction',
  done,
  critical,
  form_data: [],
  execution_record_key: done ? `r-${key}` : null,
})
const checked = job({ step_sequence: three })
const loose = job({ step_sequence: three, parameters: { ...job().parameters, step_check: false } })

describe('steps', () => {
  it('are done when the service says so', () => {
    const steps = stepsOf(checked, { step_data: [record('a', true, true), record('b', false)] }, ['b'], [])
    expect(steps.map(({ done, critical, recordKey }) => [done, critical, recordKey])).toEqual([
      [true, true, 'r-a'],
      [false, false, null],
      [false, false, null],
    ])
  })
  it('are gone through here where they are not checked', () => {
    const steps = stepsOf(loose, { step_data: [] }, ['a'], ['b'])
    expect(steps.map(({ done, critical }) => [done, critical])).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ])
  })
  it('follow their order where it is forced', () => {
    const steps = stepsOf(checked, { step_data: [record('a', true)] }, [], [])
    expect([0, 1, 2, 3].map((at) => mayOpen(steps, at, true))).toEqual([true, true, false, false])
    expect([0, 1, 2].map((at) => mayOpen(steps, at, false))).toEqual([true, true, true])
  })
  it('show the chosen one, else the first that is open', () => {
    const steps = stepsOf(checked, { step_data: [record('a', true)] }, [], [])
    expect(stepAt(steps, null, true)).toBe(1)
    expect(stepAt(steps, 'a', true)).toBe(0)
    expect(stepAt(steps, 'c', true)).toBe(1)
    expect(stepAt(steps, 'c', false)).toBe(2)
    expect(stepAt(steps, 'gone', false)).toBe(1)
  })
  it('are over when all are done', () => {
    const all = stepsOf(checked, { step_data: three.map(({ _key }) => record(_key, true)) }, [], [])
    expect(stepAt(all, null, true)).toBeNull()
    expect(stepAt([], null, true)).toBeNull()
  })
  it('know the last open one', () => {
    const steps = stepsOf(checked, { step_data: [record('a', true), record('c', true)] }, [], [])
    expect(isLastOpen(steps, 1)).toBe(true)
    expect(isLastOpen(stepsOf(checked, null, [], []), 2)).toBe(false)
  })
})
