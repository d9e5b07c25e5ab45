import { describe, expect, it } from 'vitest'
import type { BomLine } from '../queries'
import { codeOf, compareLines, countKinds } from './lines'

let made = 0
const line = (code: string, qt: number | string, change: Partial<BomLine> = {}): BomLine => {
  made += 1
  return {
    bom_line_key: `k${made}`,
    line_no: 0,
    component_key: code.toLowerCase(),
    component_code: code,
    component_description: null,
    qt,
    phase_key: 'p1',
    phase_name: 'Assembly',
    traceability_level: null,
    manage_inventory: false,
    consumption_options: {
      consumption_position_key: null,
      consumption_position_mandatory: false,
      minimum_quantity_if_negative: false,
      minimum_quantity: null,
    },
    extra: null,
    ...change,
  }
}

const kinds = (before: BomLine[], after: BomLine[]) =>
  compareLines(before, after).map((row) => [codeOf(row), row.kind, row.aspects.join()])

describe('compareLines', () => {
  it('finds what came, went and changed, by code', () => {
    const before = [line('C', 1), line('A', 2), line('B', '0.5')]
    const after = [line('B', '0.50'), line('D', 1), line('A', 3)]
    expect(kinds(before, after)).toEqual([
      ['A', 'changed', 'qt'],
      ['B', 'same', ''],
      ['C', 'removed', ''],
      ['D', 'added', ''],
    ])
  })

  it('sees a line that moved to another phase, or is taken from elsewhere', () => {
    const options = { ...line('A', 1).consumption_options, consumption_position_key: 'shelf' }
    expect(kinds([line('A', 1)], [line('A', 1, { phase_name: 'Test' })])).toEqual([['A', 'changed', 'phase']])
    expect(kinds([line('A', 1)], [line('A', 1, { consumption_options: options })])).toEqual([
      ['A', 'changed', 'options'],
    ])
  })

  it('pairs several lines of one component sensibly', () => {
    const before = [line('A', 1), line('A', 4, { phase_name: 'Test' })]
    const after = [line('A', 4, { phase_name: 'Test' }), line('A', 2), line('A', 9, { phase_name: 'Pack' })]
    expect(kinds(before, after)).toEqual([
      ['A', 'same', ''],
      ['A', 'changed', 'qt'],
      ['A', 'added', ''],
    ])
  })

  it('counts', () => {
    expect(countKinds(compareLines([line('A', 1)], [line('A', 1), line('B', 1)]))).toEqual({
      added: 1,
      removed: 0,
      changed: 0,
      same: 1,
    })
  })
})
