/*
 * Where the entries of the graph lie. Each level has its column; what is behind an entry begins in the same row. So opening an entry moves
 * neither the entry nor anything above it: only what is below makes room.
 */

import type { Entry } from './opened'
import type { Side, Web } from './web'

export const NODE = { width: 132, height: 66 }
export const GAP = { x: 26, y: 12 }
export const STEP = { x: NODE.width + GAP.x, y: NODE.height + GAP.y }
const WIDEST = 240

export interface Spot {
  readonly entry: Entry
  readonly x: number
  readonly y: number
  readonly width: number
}

export interface Line {
  readonly id: string
  /** The left end is what goes in, the right end what it goes into. */
  readonly left: string
  readonly right: string
  readonly look: 'now' | 'ended' | 'temporary'
  /** It is on nobody's way to the start. */
  readonly beside: boolean
}

function childrenOf(entries: readonly Entry[]): Map<string, Entry[]> {
  const children = new Map<string, Entry[]>()
  for (const entry of entries) {
    if (entry.parent === null || entry.side === 'start') continue
    const name = `${entry.side}:${entry.parent}`
    const known = children.get(name)
    if (known) known.push(entry)
    else children.set(name, [entry])
  }
  return children
}

/** As wide as the longest code needs: a code that is cut names nothing. */
export function widthFor(web: Web): number {
  const longest = Math.max(0, ...[...web.units.values()].map(({ node }) => node.code?.length ?? 0))
  return Math.min(WIDEST, Math.max(NODE.width, Math.ceil(longest * 7.9) + 44))
}

export function layOut(entries: readonly Entry[], width = NODE.width): Spot[] {
  const [start] = entries
  if (!start) return []
  const children = childrenOf(entries)
  const spots: Spot[] = [{ entry: start, x: 0, y: 0, width }]
  // Gives the first free row below what it has placed.
  const place = (side: Side, entry: Entry, row: number): number => {
    const x = (side === 'from' ? -1 : 1) * entry.level * (width + GAP.x)
    spots.push({ entry, x, y: row * STEP.y, width })
    return Math.max(row + 1, placeAll(side, entry.id, row))
  }
  const placeAll = (side: Side, parent: string, row: number): number =>
    (children.get(`${side}:${parent}`) ?? []).reduce((free, entry) => place(side, entry, free), row)
  placeAll('from', start.id, 0)
  placeAll('to', start.id, 0)
  return spots
}

function lookOf(link: { replaced: boolean; confirmed: boolean } | null): Line['look'] {
  if (link?.replaced) return 'ended'
  return link?.confirmed === false ? 'temporary' : 'now'
}

export function linesOf(web: Web, entries: readonly Entry[]): Line[] {
  const shown = new Set(entries.map(({ id }) => id))
  const lines: Line[] = []
  for (const entry of entries) {
    if (entry.parent === null) continue
    const link = entry.kind === 'unit' ? entry.unit.link : entry.sample.link
    const [left, right] = entry.side === 'from' ? [entry.id, entry.parent] : [entry.parent, entry.id]
    lines.push({ id: `${left} ${right}`, left, right, look: lookOf(link), beside: false })
  }
  for (const edge of web.others) {
    if (!shown.has(edge.from) || !shown.has(edge.to)) continue
    lines.push({ id: edge._key, left: edge.to, right: edge.from, look: lookOf(edge), beside: true })
  }
  return lines
}

export interface View {
  readonly x: number
  readonly y: number
  readonly zoom: number
}

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Box extends Size {
  readonly x: number
  readonly y: number
}

/** The part of the plane that the spots take. */
export function boxOf(spots: readonly Spot[]): Box {
  const xs = spots.map(({ x }) => x)
  const ys = spots.map(({ y }) => y)
  const [left, top] = [Math.min(0, ...xs), Math.min(0, ...ys)]
  return {
    x: left,
    y: top,
    width: Math.max(0, ...xs) + (spots[0]?.width ?? NODE.width) - left,
    height: Math.max(0, ...ys) + NODE.height - top,
  }
}

const MARGIN = { x: 14, top: 52, bottom: 56 }
/** Rather than cut something off, a trace comes this close to the edge. */
const CLOSEST = 4
/** Texts of 13 pixels are not smaller than 12 then. */
export const LEAST_ZOOM = 12 / 13

/** How high the graph has to be to show everything. */
export function heightFor(box: Box): number {
  return MARGIN.top + box.height + MARGIN.bottom
}

/** The first view: everything if it stays readable, else what is around the start. */
export function firstView(box: Box, size: Size, width = NODE.width, least = LEAST_ZOOM): View {
  const fit = Math.min(
    (size.width - 2 * MARGIN.x) / box.width,
    (size.height - MARGIN.top - MARGIN.bottom) / box.height,
    1,
  )
  const zoom = Math.max(fit, least)
  const spare = size.height - MARGIN.top - MARGIN.bottom - box.height * zoom
  return { x: leftOf(box, size.width, zoom, width), y: MARGIN.top + Math.max(0, spare * 0.3) - box.y * zoom, zoom }
}

/** Everything in the middle if there is room; else the side that fits from the start on, and as much as possible of the other. */
function leftOf(box: Box, width: number, zoom: number, node: number): number {
  const room = width - 2 * MARGIN.x
  const right = box.x + box.width
  if (box.width * zoom <= width - 2 * CLOSEST) return width / 2 - (box.x + box.width / 2) * zoom
  if (right * zoom <= room) return width - MARGIN.x - right * zoom
  if ((node - box.x) * zoom <= room) return MARGIN.x - box.x * zoom
  return (width - node * zoom) / 2
}

/** The view moved as little as possible, so that a box is inside. */
export function panInto(view: View, box: Box, size: Size): View {
  const shift = (begin: number, end: number, least: number, most: number) => {
    if (begin < least || end - begin > most - least) return least - begin
    return end > most ? most - end : 0
  }
  const left = box.x * view.zoom + view.x
  const top = box.y * view.zoom + view.y
  return {
    ...view,
    x: view.x + shift(left, left + box.width * view.zoom, MARGIN.x, size.width - MARGIN.x),
    y: view.y + shift(top, top + box.height * view.zoom, MARGIN.top, size.height - MARGIN.bottom),
  }
}

/** A line with one bend on either side of a vertical part, which lies in the gap before the right end's column. */
export function elbow(from: { x: number; y: number }, to: { x: number; y: number }): string {
  const drop = to.y - from.y
  const bend = to.x - GAP.x / 2
  if (Math.abs(drop) < 1) return `M${from.x} ${from.y}H${to.x}`
  const radius = Math.min(8, Math.abs(drop) / 2)
  const down = Math.sign(drop) * radius
  return [
    `M${from.x} ${from.y}`,
    `H${bend - radius}`,
    `Q${bend} ${from.y} ${bend} ${from.y + down}`,
    `V${to.y - down}`,
    `Q${bend} ${to.y} ${bend + radius} ${to.y}`,
    `H${to.x}`,
  ].join('')
}
