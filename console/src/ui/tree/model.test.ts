import { describe, expect, it } from 'vitest'
import { flatten, move, openTo, pathTo, type TreeShape, typed } from './model'

interface Node {
  id: string
  kind?: string
  children?: Node[]
}

const shape: TreeShape<Node> = {
  id: (node) => node.id,
  children: (node) => node.children,
  foldBy: (node) => node.kind,
  foldFrom: 3,
}

const bolts = ['b1', 'b2', 'b3', 'b4'].map((id) => ({ id, kind: 'bolt' }))
const root: Node = { id: 'pump', children: [{ id: 'motor', children: [{ id: 'rotor' }] }, ...bolts, { id: 'seal' }] }
const ids = (lines: { id: string }[]) => lines.map(({ id }) => id)

describe('flatten', () => {
  it('shows what is open, and folds equal siblings in the place of the first', () => {
    const lines = flatten(shape, [root], new Set(['pump']))
    expect(ids(lines)).toEqual(['pump', 'motor', 'pump~bolt', 'seal'])
    expect(lines[2]).toMatchObject({
      group: 4,
      level: 2,
      position: 2,
      siblings: 3,
      parent: 0,
      expandable: true,
      open: false,
    })
  })

  it('opens groups and nodes', () => {
    const lines = flatten(shape, [root], new Set(['pump', 'motor', 'pump~bolt']))
    expect(ids(lines)).toEqual(['pump', 'motor', 'rotor', 'pump~bolt', 'b1', 'b2', 'b3', 'b4', 'seal'])
    expect(lines[4]).toMatchObject({ level: 3, parent: 3, group: 0 })
  })

  it('lets nodes be opened whose children are not there yet', () => {
    const [line] = flatten({ ...shape, hasMore: () => true }, [{ id: 'x' }], new Set())
    expect(line?.expandable).toBe(true)
  })

  it('takes 10,000 nodes in a blink', () => {
    const wide: Node = { id: 'r', children: Array.from({ length: 10_000 }, (_, at) => ({ id: `n${at}` })) }
    const start = performance.now()
    expect(flatten(shape, [wide], new Set(['r']))).toHaveLength(10_001)
    expect(performance.now() - start).toBeLessThan(200)
  })
})

describe('openTo', () => {
  it('opens to a depth', () => {
    expect([...openTo(shape, [root], 1)]).toEqual(['pump'])
    expect([...openTo(shape, [root], 2)]).toEqual(['pump', 'motor'])
  })
})

describe('keys', () => {
  const lines = flatten(shape, [root], new Set(['pump', 'motor']))

  it('walk up and down', () => {
    expect(move(lines, 0, 'ArrowDown')).toEqual({ go: 1 })
    expect(move(lines, 0, 'ArrowUp')).toEqual({ go: 0 })
    expect(move(lines, 0, 'End')).toEqual({ go: 4 })
    expect(move(lines, -1, 'ArrowDown')).toEqual({ go: 0 })
  })

  it('right opens, then goes in; left closes, then goes out', () => {
    expect(move(lines, 1, 'ArrowRight')).toEqual({ go: 2 })
    expect(move(lines, 3, 'ArrowRight')).toEqual({ toggle: 3 })
    expect(move(lines, 2, 'ArrowRight')).toBeUndefined()
    expect(move(lines, 2, 'ArrowLeft')).toEqual({ go: 1 })
    expect(move(lines, 1, 'ArrowLeft')).toEqual({ toggle: 1 })
    expect(move(lines, 0, 'ArrowLeft')).toEqual({ toggle: 0 })
  })

  it('letters jump to names', () => {
    const name = (node: Node) => node.id
    expect(typed(lines, 0, 's', name)).toBe(4)
    expect(typed(lines, 0, 'ro', name)).toBe(2)
    expect(typed(lines, 4, 'm', name)).toBe(1)
    expect(typed(lines, 0, 'zz', name)).toBeUndefined()
  })
})

describe('pathTo', () => {
  it('leads from the root', () => {
    const lines = flatten(shape, [root], new Set(['pump', 'motor']))
    expect(pathTo(lines, 2)).toEqual([0, 1])
    expect(pathTo(lines, 0)).toEqual([])
  })
})
