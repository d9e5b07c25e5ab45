import { describe, expect, it } from 'vitest'
import {
  boxOf,
  elbow,
  firstView,
  heightFor,
  LEAST_ZOOM,
  layOut,
  linesOf,
  NODE,
  panInto,
  STEP,
  widthFor,
} from './layout'
import { canOpenLevel, firstOpened, NOTHING_OPEN, openWays, reveal, shownEntries, takeOut, toggleWay } from './opened'
import { matching, rowsOf } from './rows'
import { walk } from './walk'
import { pathOf, releasedIn, summaryOf, type Trace, type TraceEdge, type TraceNode, wayOut, webOf } from './web'

function node(id: string, level: number, product = 'p'): TraceNode {
  return {
    id,
    type: 'serial',
    level,
    serial_key: id,
    batch_key: null,
    code: id.toUpperCase(),
    product_key: product,
    product_code: product.toUpperCase(),
    product_description: `A ${product}`,
    wo_key: null,
    state: 'used',
  }
}

function edge(from: string, to: string, more: Partial<TraceEdge> = {}): TraceEdge {
  return {
    _key: `${from}-${to}`,
    from,
    to,
    component_key: 'c',
    quantity: 1,
    confirmed: true,
    replaced: false,
    linked: '2026-11-01T08:00:00.000Z',
    linked_by: 'anna',
    unlinked: null,
    reason: null,
    ...more,
  }
}

function trace(nodes: TraceNode[], edges: TraceEdge[]): Trace {
  return { start: 'm', direction: 'both', as_of: null, truncated: false, nodes, edges }
}

/** A motor in a unit in a system; it has a rotor with a magnet, and screws. */
function motor(screws: number) {
  const ids = Array.from({ length: screws }, (_, at) => `s${at + 1}`)
  return webOf(
    trace(
      [
        node('sys', -2, 'system'),
        node('unit', -1, 'unit'),
        node('m', 0, 'motor'),
        node('r', 1, 'rotor'),
        ...ids.map((id) => node(id, 1, 'screw')),
        node('mag', 2, 'magnet'),
      ],
      [edge('sys', 'unit'), edge('unit', 'm'), edge('m', 'r'), ...ids.map((id) => edge('m', id)), edge('r', 'mag')],
    ),
  )
}

const ids = (entries: { id: string }[]) => entries.map(({ id }) => id)
const START = openWays(NOTHING_OPEN, [wayOut('from', 'm'), wayOut('to', 'm')])
const FOLD = 'from:m~screw~is'

describe('a web', () => {
  it('has the way to the start of every unit', () => {
    const web = motor(2)
    expect(pathOf(web, 'mag')).toEqual(['m', 'r', 'mag'])
    expect(pathOf(web, 'sys')).toEqual(['m', 'unit', 'sys'])
    expect(summaryOf(web, 'to')).toEqual({ units: 2, levels: 2, ends: ['sys'] })
    expect(summaryOf(web, 'from')).toMatchObject({ units: 4, levels: 2 })
  })

  it('sorts by product, then by the number in the code', () => {
    expect(motor(11).next.get('from:m')?.slice(0, 4)).toEqual(['r', 's1', 's2', 's3'])
  })

  it('takes the link that holds, and keeps the other', () => {
    const ended = edge('m', 'x', { _key: 'old', replaced: true })
    const web = webOf(trace([node('m', 0), node('x', 1)], [ended, edge('m', 'x')]))
    expect(web.units.get('x')?.link?.replaced).toBe(false)
    expect(web.others).toEqual([ended])
  })

  it('takes a nearer unit if none is just one level nearer', () => {
    const web = webOf(trace([node('m', 0), node('a', 1), node('far', 3)], [edge('m', 'a'), edge('a', 'far')]))
    expect(pathOf(web, 'far')).toEqual(['m', 'a', 'far'])
  })
})

describe('what is shown', () => {
  it('folds equal units', () => {
    expect(ids(shownEntries(motor(3), START))).toEqual(['m', 'r', 's1', 's2', 's3', 'unit'])
    const [, , fold] = shownEntries(motor(4), START)
    expect(fold).toMatchObject({ kind: 'fold', id: FOLD, members: ['s1', 's2', 's3', 's4'], rest: false })
  })

  it('takes them out step by step', () => {
    const web = motor(30)
    const once = takeOut(START, FOLD)
    expect(shownEntries(web, once).filter(({ id }) => id.startsWith('s'))).toHaveLength(20)
    expect(shownEntries(web, once).find(({ id }) => id === FOLD)).toMatchObject({ rest: true })
    expect(ids(shownEntries(web, takeOut(once, FOLD)))).not.toContain(FOLD)
  })

  it('leaves no fold of one', () => {
    expect(ids(shownEntries(motor(21), takeOut(START, FOLD)))).not.toContain(FOLD)
  })

  it('keeps what was open further out', () => {
    const web = motor(1)
    const open = openWays(START, ['from:r'])
    const closed = toggleWay(open, 'from:m')
    expect(ids(shownEntries(web, closed))).toEqual(['m', 'unit'])
    expect(ids(shownEntries(web, toggleWay(closed, 'from:m')))).toContain('mag')
  })

  it('opens the way to a unit, and takes it out of its fold', () => {
    const web = motor(9)
    expect(ids(shownEntries(web, reveal(web, NOTHING_OPEN, 'mag')))).toEqual(['m', 'r', 'mag', FOLD])
    const shown = shownEntries(web, reveal(web, START, 's7'))
    expect(ids(shown)).toContain('s7')
    expect(shown.find(({ id }) => id === FOLD)).toMatchObject({ rest: true })
    expect(reveal(web, START, 'nobody')).toBe(START)
  })

  it('opens at first what there is room for', () => {
    const web = motor(100)
    expect(ids(shownEntries(web, firstOpened(web)))).toEqual(['m', 'mag', 'r', FOLD, 'unit', 'sys'].toSorted(order))
    expect(canOpenLevel(web, firstOpened(web))).toBe(false)
    expect(ids(shownEntries(web, firstOpened(web, 4)))).not.toContain('mag')
  })
})

const order = (a: string, b: string) =>
  ['m', 'r', 'mag', FOLD, 'unit', 'sys'].indexOf(a) - ['m', 'r', 'mag', FOLD, 'unit', 'sys'].indexOf(b)

describe('units that have left', () => {
  const told = trace(
    [
      { ...node('sys', -1), state: 'released', serial_key: 's-key' },
      { ...node('m', 0), serial_key: 'm-key' },
    ],
    [edge('sys', 'm')],
  )

  it('are asked for among those released', () => {
    expect(releasedIn(told)).toEqual(['s-key'])
  })

  it('are shipped where the recall says so, whatever else it names', () => {
    const web = webOf(told, new Set(['s-key', 'm-key']))
    expect(web.units.get('sys')?.shipped).toBe(true)
    expect(web.units.get('m')?.shipped).toBe(false)
    expect(webOf(told).units.get('sys')?.shipped).toBe(false)
  })
})

describe('the layout', () => {
  const web = motor(3)
  const at = (opened: typeof START) =>
    new Map(layOut(shownEntries(web, opened)).map(({ entry, x, y }) => [entry.id, [x / STEP.x, y / STEP.y]]))

  it('has what it is made from on the left, what it went into on the right', () => {
    const spots = at(openWays(START, ['from:r', 'to:unit']))
    expect(spots.get('m')).toEqual([0, 0])
    expect(spots.get('r')).toEqual([-1, 0])
    expect(spots.get('mag')).toEqual([-2, 0])
    expect(spots.get('sys')).toEqual([2, 0])
    expect(spots.get('s3')).toEqual([-1, 3])
  })

  it('never moves what is opened, nor what is above it', () => {
    const before = at(START)
    const after = at(openWays(START, ['from:r']))
    for (const [id, spot] of before) expect(after.get(id)).toEqual(spot)
  })

  it('puts no two entries on one place', () => {
    const spots = layOut(shownEntries(web, firstOpened(web)))
    expect(new Set(spots.map(({ x, y }) => `${x} ${y}`)).size).toBe(spots.length)
  })

  it('draws lines from left to right', () => {
    const lines = linesOf(web, shownEntries(web, START))
    expect(lines).toContainEqual({ id: 'r m', left: 'r', right: 'm', look: 'now', beside: false })
    expect(lines).toContainEqual({ id: 'm unit', left: 'm', right: 'unit', look: 'now', beside: false })
  })

  it('bends lines in the gap between columns', () => {
    expect(elbow({ x: 0, y: 0 }, { x: 26, y: 0 })).toBe('M0 0H26')
    expect(elbow({ x: 0, y: 78 }, { x: 26, y: 0 })).toBe('M0 78H5Q13 78 13 70V8Q13 0 21 0H26')
  })

  it('has room for the longest code', () => {
    expect(widthFor(web)).toBe(NODE.width)
    const long = webOf(trace([node('m', 0), { ...node('x', 1), code: 'DS7-2026-000000123' }], [edge('m', 'x')]))
    const width = widthFor(long)
    expect(width).toBeGreaterThan(NODE.width)
    const spots = layOut(shownEntries(long, firstOpened(long)), width)
    expect(spots.map(({ x }) => x)).toEqual([0, NODE.width - STEP.x - width])
    expect(boxOf(spots).width).toBe(2 * width + STEP.x - NODE.width)
  })

  it('draws a few entries of 20,000 equal units', () => {
    const big = motor(20_000)
    expect(layOut(shownEntries(big, firstOpened(big)))).toHaveLength(6)
  })
})

describe('the view', () => {
  const size = { width: 1000, height: 600 }

  it('shows everything if it stays readable', () => {
    const box = boxOf(layOut(shownEntries(motor(1), START)))
    const view = firstView(box, size)
    expect(view.zoom).toBe(1)
    expect(box.x * view.zoom + view.x).toBeGreaterThanOrEqual(0)
    expect((box.x + box.width) * view.zoom + view.x).toBeLessThanOrEqual(size.width)
  })

  it('shows the side that fits, if everything would be too small', () => {
    const box = { x: -6 * STEP.x, y: 0, width: 7 * STEP.x + NODE.width, height: NODE.height }
    const view = firstView(box, size)
    expect(view.zoom).toBe(LEAST_ZOOM)
    expect((box.x + box.width) * view.zoom + view.x).toBeCloseTo(size.width - 14)
    const mirrored = firstView({ ...box, x: -STEP.x, width: 9 * STEP.x }, size)
    expect(-STEP.x * mirrored.zoom + mirrored.x).toBeCloseTo(14)
  })

  it('comes close to the edge rather than cutting off a border', () => {
    const box = { x: -4 * STEP.x, y: 0, width: 4 * STEP.x + NODE.width, height: NODE.height }
    const size = { width: Math.ceil(box.width * LEAST_ZOOM) + 10, height: 600 }
    const view = firstView(box, size)
    expect(view.zoom).toBe(LEAST_ZOOM)
    expect(box.x * view.zoom + view.x).toBeGreaterThan(4)
    expect((box.x + box.width) * view.zoom + view.x).toBeLessThan(size.width - 4)
  })

  it('is as high as a short trace needs', () => {
    const box = boxOf(layOut(shownEntries(motor(0), START)))
    const height = heightFor(box)
    const view = firstView(box, { width: 1000, height })
    expect(view.zoom).toBe(1)
    expect(view.y + box.y).toBeGreaterThan(0)
    expect(view.y + box.y + box.height).toBeLessThan(height)
    expect(height - box.height).toBeLessThan(120)
  })

  it('moves no more than it has to', () => {
    const view = { x: 500, y: 100, zoom: 1 }
    const spot = (x: number) => ({ x, y: 0, ...NODE })
    expect(panInto(view, spot(0), size)).toEqual(view)
    expect(panInto(view, spot(-600), size).x).toBe(614)
    expect(panInto(view, spot(400), size).x).toBe(1000 - 14 - NODE.width - 400)
  })
})

describe('keys', () => {
  const web = motor(5)
  const spots = layOut(shownEntries(web, START))

  it('open first, then go in', () => {
    expect(walk(spots, 'm', 'ArrowLeft')).toEqual({ go: 'r' })
    expect(walk(spots, 'r', 'ArrowLeft')).toEqual({ open: 'from:r' })
    expect(walk(spots, 'r', 'ArrowRight')).toEqual({ go: 'm' })
    expect(walk(spots, 'unit', 'ArrowRight')).toEqual({ open: 'to:unit' })
    expect(walk(spots, FOLD, 'ArrowLeft')).toEqual({ open: FOLD })
  })

  it('walk in a column', () => {
    expect(walk(spots, 'r', 'ArrowDown')).toEqual({ go: FOLD })
    expect(walk(spots, FOLD, 'ArrowUp')).toEqual({ go: 'r' })
    expect(walk(spots, 'r', 'ArrowUp')).toBeUndefined()
  })

  it('open and close by + and -', () => {
    expect(walk(spots, 'r', '+')).toEqual({ open: 'from:r' })
    expect(walk(spots, 'm', '-')).toEqual({ close: 'from:m' })
    expect(walk(spots, 'r', '-')).toBeUndefined()
    expect(walk(spots, 'r', 'Home')).toEqual({ go: 'm' })
    expect(walk(spots, 'gone', 'ArrowUp')).toEqual({ go: 'm' })
  })
})

describe('the table', () => {
  it('has everything, open or not, with what each unit is in or holds', () => {
    const rows = rowsOf(motor(2))
    expect(ids(rows)).toEqual(['m', 'unit', 'sys', 'r', 's1', 's2', 'mag'])
    expect(rows.find(({ id }) => id === 'mag')?.by?.id).toBe('r')
    expect(ids(matching(rows, 'screw 2'))).toEqual(['s2'])
    expect(matching(rows, undefined)).toHaveLength(7)
  })
})
