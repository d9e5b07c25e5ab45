import { describe, expect, it } from 'vitest'
import { printedParts } from './print'
import { codesIn, countParts, linkTimes, partOf, type TreeNode, visit, wayTo, withTakenOut } from './tree'

const node = (key: string | null, more: Partial<TreeNode> = {}): TreeNode => ({
  serial_key: key,
  serial_code: key?.toUpperCase() ?? null,
  product_key: 'p',
  product_code: 'P',
  product_description: null,
  replaced: false,
  confirmed: true,
  extra_bom: false,
  expected: false,
  expected_quantity: null,
  state: 'used',
  link_key: key && `l-${key}`,
  linked: null,
  unlinked: null,
  quantity: 1,
  reason: null,
  children: [],
  ...more,
})

const tree = node('a', {
  link_key: null,
  children: [
    node('b', {
      linked: '2026-10-02T00:00:00Z',
      children: [
        node('d', { linked: '2026-10-01T00:00:00Z', unlinked: '2026-10-05T00:00:00Z', replaced: true }),
        node(null, { expected: true, expected_quantity: 2, product_key: 'q', link_key: null }),
        node(null, { expected: true, expected_quantity: 1, product_key: 'r', link_key: null }),
      ],
    }),
    node('c'),
  ],
})

describe('wayTo', () => {
  it('leads from the outermost unit down', () => {
    expect(wayTo(tree, 'b').map(({ serial_key }) => serial_key)).toEqual(['a', 'b'])
    expect(wayTo(tree, 'a')).toHaveLength(1)
  })

  it('does not lead through what was taken out', () => {
    expect(wayTo(tree, 'd')).toEqual([])
  })
})

describe('partOf', () => {
  it('gives every node an id of its own, and its parent', () => {
    const ids: string[] = []
    visit(partOf(tree), ({ id }) => ids.push(id))
    expect(ids).toEqual(['a', 'l-b', 'l-d', 'l-b/q', 'l-b/r', 'l-c'])
    expect(partOf(tree).children[0]?.children[1]?.parentKey).toBe('b')
  })

  it('keeps the id of the unit, whatever it is built into', () => {
    const inner = tree.children[0]
    expect(inner && partOf(inner).id).toBe('b')
  })

  it('counts what is in it, missing and replaced', () => {
    expect(countParts(partOf(tree))).toEqual({ inside: 2, missing: 3, replaced: 1 })
  })
})

describe('what a tree tells', () => {
  it('has the times of links', () => {
    expect(linkTimes(tree).map((time) => new Date(time).getUTCDate())).toEqual([2, 1, 5])
  })

  it('has the codes of units', () => {
    expect([...codesIn(tree)]).toEqual([
      ['a', 'A'],
      ['b', 'B'],
      ['d', 'D'],
      ['c', 'C'],
    ])
  })

  it('prints as lines, up to a number', () => {
    expect(printedParts(tree).rows.map(({ level }) => level)).toEqual([0, 1, 1, 1, 0])
    expect(printedParts(tree, 2)).toMatchObject({ left: 3 })
    expect(printedParts(undefined).rows).toEqual([])
  })
})

describe('withTakenOut', () => {
  const at = (day: number) => Date.UTC(2026, 9, day)
  const old = node('d', {
    product_key: 'q',
    linked: '2026-10-01T00:00:00Z',
    unlinked: '2026-10-05T00:00:00Z',
    replaced: true,
    reason: 'leaks',
  })
  const fresh = node('e', { product_key: 'q', linked: '2026-10-05T00:00:00Z' })
  const lid = node('f', { product_key: 'r', linked: '2026-10-01T00:00:00Z' })
  const today = node('a', { children: [node('b', { children: [old, fresh, lid] }), node('c')] })
  const then = node('a', { children: [node('b', { children: [fresh, lid] }), node('c')] })
  const partsOf = (tree: TreeNode) => tree.children[0]?.children.map(({ serial_key }) => serial_key)

  it('has what had been taken out by then, in its place, with the reason', () => {
    const tree = withTakenOut(then, today, at(6))
    expect(partsOf(tree)).toEqual(['d', 'e', 'f'])
    expect(tree.children[0]?.children[0]).toMatchObject({ replaced: true, reason: 'leaks' })
  })

  it('does not know of what was taken out later', () => {
    const before = node('a', { children: [node('b', { children: [{ ...old, replaced: false }, lid] }), node('c')] })
    expect(partsOf(withTakenOut(before, today, at(4)))).toEqual(['d', 'f'])
  })

  it('keeps parts of which today’s tree knows nothing', () => {
    const other = node('a', { children: [node('x', { children: [node('y')] })] })
    expect(withTakenOut(other, today, at(6))).toEqual(other)
  })
})
