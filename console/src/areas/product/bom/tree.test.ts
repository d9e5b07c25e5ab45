import { describe, expect, it } from 'vitest'
import type { Explosion } from '../queries'
import { bomTree, depthOf, phaseKeysOf } from './tree'

const line = (parent: string, component: string, qt: number | string): Explosion['lines'][number] => ({
  parent_key: parent,
  parent_code: parent.toUpperCase(),
  bom_line_key: `${parent}-${component}`,
  component_key: component,
  component_code: component.toUpperCase(),
  phase_key: `phase-${parent}`,
  qt,
})

const node = (key: string, depth: number, has_bom = false): Explosion['nodes'][number] => ({
  product_key: key,
  product_code: key.toUpperCase(),
  product_description: null,
  depth_min: 1,
  depth_max: depth,
  qt_total: 0,
  qt_net: 0,
  has_bom,
  traceability_level: null,
})

const explosion = (change: Partial<Explosion>): Explosion => ({
  product_key: 'x',
  product_code: 'X',
  qt: 10,
  levels: null,
  nodes: [],
  lines: [],
  totals: [],
  ...change,
})

describe('bomTree', () => {
  const shared = explosion({
    nodes: [node('c', 2), node('s', 1, true)],
    lines: [line('x', 's', 2), line('x', 'c', 1), line('s', 'c', '0.1')],
  })

  it('multiplies along each path, exactly', () => {
    const tree = bomTree(shared)
    expect(tree.roots.map(({ code, total, level }) => [code, total, level])).toEqual([
      ['C', '10', 1],
      ['S', '20', 1],
    ])
    const [, sub] = tree.roots
    expect(sub && tree.children(sub).map(({ id, total, level }) => [id, total, level])).toEqual([['x-s/s-c', '2', 2]])
  })

  it('stops at the levels asked for, and says so', () => {
    const tree = bomTree({ ...shared, levels: 1 })
    const [, sub] = tree.roots
    expect(sub?.cut).toBe(true)
    expect(sub && tree.children(sub)).toEqual([])
  })

  it('never follows a loop', () => {
    const tree = bomTree(
      explosion({ nodes: [node('s', 1)], lines: [line('x', 's', 1), line('s', 's', 1), line('s', 'x', 1)] }),
    )
    const [sub] = tree.roots
    expect(sub && tree.children(sub)).toEqual([])
  })

  it('grows only where it is opened: 26 levels with two lines each', () => {
    const keys = Array.from({ length: 26 }, (_, at) => (at === 0 ? 'x' : `p${at}`))
    const lines = keys.slice(0, -1).flatMap((key, at) => {
      const next = keys[at + 1] ?? ''
      return [line(key, next, 1), { ...line(key, next, 1), bom_line_key: `${key}-${next}-2` }]
    })
    const tree = bomTree(explosion({ lines, nodes: keys.slice(1).map((key, at) => node(key, at + 1, true)) }))
    expect(tree.roots).toHaveLength(2)
    expect(tree.size(5000)).toBe(5000)
  })

  it('counts, measures and names its phases', () => {
    expect(bomTree(shared).size(100)).toBe(3)
    expect(depthOf(shared)).toBe(2)
    expect(phaseKeysOf(shared)).toEqual(['phase-s', 'phase-x'])
  })
})
