import { describe, expect, it } from 'vitest'
import { byWeight, counted, type Evidence, recordPath, remedyOf } from './evidence'

const lack = (kind: Evidence['kind']): Evidence => ({ kind, message: kind })

describe('what a record lacks', () => {
  const list = [lack('not_released'), lack('form_value_missing'), lack('issue_open')]

  it('has what is wrong first', () => {
    expect(byWeight(list).map(({ kind }) => kind)).toEqual(['issue_open', 'form_value_missing', 'not_released'])
  })

  it('does not count the release', () => {
    expect(counted(list)).toBe(2)
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
