import { describe, expect, it } from 'vitest'
import { byWeight, counted, type Evidence, isFault, recordPath, remedyOf, told } from './evidence'

const lack = (kind: Evidence['kind']): Evidence => ({ kind, message: kind })

describe('what a record lacks', () => {
  const list = [lack('not_released'), lack('form_value_missing'), lack('issue_open')]

  it('has what is wrong first', () => {
    expect(byWeight(list).map(({ kind }) => kind)).toEqual(['issue_open', 'form_value_missing', 'not_released'])
  })

  it('does not count the release', () => {
    expect(counted(list)).toBe(2)
  })

  it('does not wait for what was scrapped', () => {
    expect(told(list, true)).toHaveLength(2)
    expect(told(list, false)).toHaveLength(3)
  })

  it('is a fault once the unit is released, or if something is wrong', () => {
    expect(isFault([lack('step_not_done')], false)).toBe(false)
    expect(isFault([lack('step_not_done')], true)).toBe(true)
    expect(isFault(list, false)).toBe(true)
  })

  it('has a remedy for each', () => {
    expect(list.map(remedyOf)).toEqual(['release', 'value', 'issue'])
  })
})

describe('recordPath', () => {
  it('asks for what is wanted', () => {
    const options = { steps: true, attachments: false, children: true }
    expect(recordPath('a b', 'pdf', options)).toBe(
      '/serial/a%20b/dhr?format=pdf&include_step_data=true&include_children=true',
    )
  })
})
