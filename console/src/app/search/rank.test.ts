import { describe, expect, it } from 'vitest'
import { type Group, matchIn, orderGroups, type Rankable, ranked, rankOf } from './rank'

const hit = (kind: Rankable['kind'], code: string | null, name: string | null = null): Rankable => ({
  kind,
  key: `${code}${name}`,
  code,
  name,
})

describe('the rank of a hit', () => {
  it('is best for the exact code, whatever its case', () => {
    expect(rankOf(hit('serial', 'DU7-00010'), ' du7-00010 ')).toBe(0)
    expect(rankOf(hit('serial', 'DU7-00010'), 'DU7')).toBe(1)
    expect(rankOf(hit('serial', 'DU7-00010'), '0001')).toBe(3)
    expect(rankOf(hit('task', 'T-1', 'Drive test'), 'drive')).toBe(2)
    expect(rankOf(hit('task', 'T-1', 'Test the drive'), 'drive')).toBe(4)
    expect(rankOf(hit('task', 'T-1'), 'drive')).toBe(5)
  })

  it('does not mind wildcards at the ends', () => {
    expect(rankOf(hit('serial', 'DU7-00010'), 'DU7*')).toBe(1)
  })
})

it('puts the best hits first and each thing once', () => {
  const hits = [
    hit('serial', 'A-10'),
    hit('serial', 'XA-1'),
    hit('serial', 'A-2'),
    hit('serial', 'A-1'),
    hit('serial', 'A-1'),
  ]
  expect(ranked(hits, 'a-1').map(({ code }) => code)).toEqual(['A-1', 'A-10', 'XA-1', 'A-2'])
})

it('puts the group with the best hit first', () => {
  const group = (kind: Rankable['kind'], ...codes: string[]): Group<Rankable> => ({
    kind,
    hits: codes.map((code) => hit(kind, code)),
    total: null,
  })
  const groups = [group('serial', 'XA-1'), group('product', 'A-10'), group('order'), group('position', 'A-1')]
  expect(orderGroups(groups, 'A-1').map(({ kind }) => kind)).toEqual(['position', 'product', 'serial'])
  const equal = [group('issue', 'A'), group('serial', 'A')]
  expect(orderGroups(equal, 'A').map(({ kind }) => kind)).toEqual(['serial', 'issue'])
})

it('shows where a text matches', () => {
  expect(matchIn('Drive unit', 'UNIT')).toEqual(['Drive ', 'unit', ''])
  expect(matchIn('Drive unit', 'x')).toEqual(['Drive unit', '', ''])
  expect(matchIn('DU7-1', 'du7*')).toEqual(['', 'DU7', '-1'])
})
