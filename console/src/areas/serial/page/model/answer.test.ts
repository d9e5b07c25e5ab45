import { describe, expect, it } from 'vitest'
import { isNo, noesIn } from './answer'
import type { Field } from './past'

const field = (label: string | null, field_type: Field['field_type'], value: unknown) =>
  ({ label, field_type, value }) as Field

describe('answers', () => {
  it('are “no” where a question of yes or no says so, and only there', () => {
    expect(isNo('ternary', false)).toBe(true)
    expect(isNo('boolean', false)).toBe(true)
    expect(isNo('ternary', null)).toBe(false)
    expect(isNo('boolean', true)).toBe(false)
    expect(isNo('number', 0)).toBe(false)
    expect(isNo('text', 'no')).toBe(false)
    expect(isNo(null, false)).toBe(false)
  })

  it('that are “no” are told by their questions', () => {
    const fields = [field('Tight', 'ternary', false), field('Clean', 'ternary', true), field(null, 'boolean', false)]
    expect(noesIn(fields)).toEqual(['Tight', ''])
  })
})
