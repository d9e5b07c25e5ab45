import { describe, expect, it } from 'vitest'
import { chips, type Filter, removed } from './filter-values'

const filters: Filter[] = [
  { kind: 'choice', id: 'state', label: 'State', options: [{ value: 'wip', label: 'In production' }] },
  { kind: 'text', id: 'project', label: 'Project' },
  { kind: 'flag', id: 'late', label: 'Late' },
  { kind: 'dates', id: 'made', label: 'Made', from: 'made_from', to: 'made_to' },
]
const words = { from: 'from', to: 'to', date: (value: string) => `<${value}>` }
const texts = (values: Record<string, string | true | undefined>) =>
  chips(filters, values, words).map(({ text }) => text)

describe('chips', () => {
  it('show what is set, in words', () => {
    expect(texts({ state: 'wip', project: 'X-1', late: true })).toEqual([
      'State: In production',
      'Project: X-1',
      'Late',
    ])
    expect(texts({ made_from: '2026-01-01' })).toEqual(['Made from <2026-01-01>'])
    expect(texts({ made_from: '2026-01-01', made_to: '2026-02-01' })).toEqual([
      'Made from <2026-01-01> to <2026-02-01>',
    ])
  })

  it('show nothing for what is not set, and an unknown choice as it is', () => {
    expect(texts({ project: '', other: 'x' })).toEqual([])
    expect(texts({ state: 'odd' })).toEqual(['State: odd'])
  })

  it('take out all their params', () => {
    expect(filters.map(removed)).toEqual([
      { state: undefined },
      { project: undefined },
      { late: undefined },
      { made_from: undefined, made_to: undefined },
    ])
  })
})
