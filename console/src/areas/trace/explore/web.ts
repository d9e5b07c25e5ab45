/*
 * A trace as it is explored: the start in the middle, what it is made from on one side, what it went into on the other. Each unit has one
 * way back to the start; links beside those ways are kept too.
 */

import type { Schemas } from '@/api'

export type TraceNode = Schemas['TraceNode']
export type TraceEdge = Schemas['TraceEdge']
export type Trace = Schemas['Trace']

/** `from`: what it is made from. `to`: what it went into. */
export type Side = 'from' | 'to'

export interface Unit {
  readonly node: TraceNode
  readonly side: Side | 'start'
  /** How far it is from the start. */
  readonly level: number
  /** The next unit on the way to the start, and the link between the two. */
  readonly parent: string | null
  readonly link: TraceEdge | null
  /** It has left; its state only says that it is released. */
  readonly shipped: boolean
}

export interface Web {
  readonly start: string
  readonly units: ReadonlyMap<string, Unit>
  /** The units one step further out, by side and unit: see `wayOut`. */
  readonly next: ReadonlyMap<string, readonly string[]>
  /** Links that are on nobody's way to the start. */
  readonly others: readonly TraceEdge[]
}

/** Names a level that can be opened: that of the start on either side, or the one behind a unit. */
export function wayOut(side: Side, id: string): string {
  return `${side}:${id}`
}

function sideOf(node: TraceNode): Side | 'start' {
  if (node.level === 0) return 'start'
  return node.level > 0 ? 'from' : 'to'
}

/** The links from each unit towards the start, if they were all of its own side. */
function inwardLinks(trace: Trace): Map<string, { edge: TraceEdge; to: string }[]> {
  const levels = new Map(trace.nodes.map((node) => [node.id, node.level]))
  const links = new Map<string, { edge: TraceEdge; to: string }[]>()
  const add = (of: string, edge: TraceEdge, to: string) => {
    const known = links.get(of)
    if (known) known.push({ edge, to })
    else links.set(of, [{ edge, to }])
  }
  for (const edge of trace.edges) {
    const above = levels.get(edge.from)
    const below = levels.get(edge.to)
    if (above === undefined || below === undefined) continue
    if (below > 0 && above >= 0 && above < below) add(edge.to, edge, edge.from)
    if (above < 0 && below <= 0 && above < below) add(edge.from, edge, edge.to)
  }
  return links
}

/** The link to take: to the unit that is nearest in level, and rather one that still holds. */
function bestLink(node: TraceNode, links: { edge: TraceEdge; to: string }[], levels: Map<string, number>) {
  const distance = ({ to }: { to: string }) => Math.abs(node.level - (levels.get(to) ?? 0))
  return [...links].sort((a, b) => distance(a) - distance(b) || Number(a.edge.replaced) - Number(b.edge.replaced))[0]
}

const NAMES = new Intl.Collator('en', { numeric: true })

function inOrder(units: ReadonlyMap<string, Unit>) {
  return (a: string, b: string) => {
    const one = units.get(a)
    const other = units.get(b)
    if (!one || !other) return 0
    return (
      NAMES.compare(one.node.product_code, other.node.product_code) ||
      Number(one.link?.replaced ?? false) - Number(other.link?.replaced ?? false) ||
      NAMES.compare(one.node.code ?? '\uffff', other.node.code ?? '\uffff') ||
      (a < b ? -1 : 1)
    )
  }
}

/** The units that may have left: released, and neither built in nor in stock. */
export function releasedIn(trace: Trace): string[] {
  const keys = trace.nodes.flatMap(({ state, serial_key }) => (state === 'released' && serial_key ? [serial_key] : []))
  return keys.sort()
}

const NONE: ReadonlySet<string> = new Set()

export function webOf(trace: Trace, shipped: ReadonlySet<string> = NONE): Web {
  const levels = new Map(trace.nodes.map((node) => [node.id, node.level]))
  const inward = inwardLinks(trace)
  const units = new Map<string, Unit>()
  const next = new Map<string, string[]>()
  const used = new Set<TraceEdge>()
  for (const node of trace.nodes) {
    const side = sideOf(node)
    const best = side === 'start' ? undefined : bestLink(node, inward.get(node.id) ?? [], levels)
    const parent = side === 'start' ? null : (best?.to ?? trace.start)
    units.set(node.id, {
      node,
      side,
      level: Math.abs(node.level),
      parent,
      link: best?.edge ?? null,
      shipped: node.state === 'released' && shipped.has(node.serial_key ?? ''),
    })
    if (best) used.add(best.edge)
    if (parent === null || side === 'start') continue
    const way = wayOut(side, parent)
    const known = next.get(way)
    if (known) known.push(node.id)
    else next.set(way, [node.id])
  }
  for (const list of next.values()) list.sort(inOrder(units))
  return { start: trace.start, units, next, others: trace.edges.filter((edge) => !used.has(edge)) }
}

/** The units of one step further out; none if there is nothing. */
export function nextOf(web: Web, side: Side, id: string): readonly string[] {
  return web.next.get(wayOut(side, id)) ?? []
}

/** The units from the start to this one, both included. */
export function pathOf(web: Web, id: string): string[] {
  const path: string[] = []
  for (let at: string | null = id; at !== null && !path.includes(at); at = web.units.get(at)?.parent ?? null) {
    if (web.units.has(at)) path.unshift(at)
  }
  return path
}

export interface SideSummary {
  readonly units: number
  readonly levels: number
  /** The units that nothing lies behind. */
  readonly ends: readonly string[]
}

export function summaryOf(web: Web, side: Side): SideSummary {
  let units = 0
  let levels = 0
  const ends: string[] = []
  for (const [id, unit] of web.units) {
    if (unit.side !== side) continue
    units += 1
    levels = Math.max(levels, unit.level)
    if (nextOf(web, side, id).length === 0) ends.push(id)
  }
  return { units, levels, ends }
}
