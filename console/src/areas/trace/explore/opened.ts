/*
 * What is open in the explorer. Opening shows the next level; equal units fold into one entry with a count, from which some or all can be
 * taken out. Nothing closes by itself.
 */

import { nextOf, pathOf, type Side, type Unit, type Web, wayOut } from './web'

export interface Opened {
  /** Names of `wayOut`. */
  readonly ways: ReadonlySet<string>
  /** How many units have been taken out of a fold. */
  readonly taken: ReadonlyMap<string, number>
  /** Units that were asked for by name: never folded. */
  readonly picked: ReadonlySet<string>
}

export const NOTHING_OPEN: Opened = { ways: new Set(), taken: new Map(), picked: new Set() }

/** So many equal units fold. */
export const FOLD_FROM = 4
/** So many come out of a fold at a time. */
export const TAKE = 20

interface Placed {
  readonly id: string
  readonly side: Side | 'start'
  readonly level: number
  /** The entry on the way to the start. */
  readonly parent: string | null
}

export interface UnitEntry extends Placed {
  readonly kind: 'unit'
  readonly unit: Unit
  /** How many entries lie one step further, by side; the start has two sides. */
  readonly more: Readonly<Record<Side, number>>
  readonly open: Readonly<Record<Side, boolean>>
}

export interface FoldEntry extends Placed {
  readonly kind: 'fold'
  readonly side: Side
  /** One of them, which says what they are. */
  readonly sample: Unit
  readonly members: readonly string[]
  /** Others of them are shown already. */
  readonly rest: boolean
}

export type Entry = UnitEntry | FoldEntry

/** Units that fold together: of one product, linked in the same way. */
function equalTo(unit: Unit): string {
  const link = unit.link?.replaced ? 'was' : unit.link?.confirmed === false ? 'soon' : 'is'
  return `${unit.node.product_key}~${link}`
}

function groupsOf(web: Web, ids: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const id of ids) {
    const unit = web.units.get(id)
    if (!unit) continue
    const name = equalTo(unit)
    const group = groups.get(name)
    if (group) group.push(id)
    else groups.set(name, [id])
  }
  return groups
}

/** Which of equal units are shown, and which stay folded. */
function unfold(opened: Opened, fold: string, ids: readonly string[]): { shown: string[]; folded: string[] } {
  if (ids.length < FOLD_FROM) return { shown: [...ids], folded: [] }
  const out = opened.taken.get(fold) ?? 0
  const shown = ids.filter((id, at) => at < out || opened.picked.has(id))
  const folded = ids.filter((id, at) => at >= out && !opened.picked.has(id))
  // A fold of one would take as much room as the unit itself.
  return folded.length === 1 ? { shown: [...ids], folded: [] } : { shown, folded }
}

function unitEntry(web: Web, opened: Opened, unit: Unit, id: string, parent: string | null): UnitEntry {
  const sides = { from: unit.side !== 'to', to: unit.side !== 'from' }
  const more = {
    from: sides.from ? nextOf(web, 'from', id).length : 0,
    to: sides.to ? nextOf(web, 'to', id).length : 0,
  }
  const open = {
    from: more.from > 0 && opened.ways.has(wayOut('from', id)),
    to: more.to > 0 && opened.ways.has(wayOut('to', id)),
  }
  return { kind: 'unit', id, side: unit.side, level: unit.level, parent, unit, more, open }
}

function entriesBehind(web: Web, opened: Opened, side: Side, parent: string): Entry[] {
  const entries: Entry[] = []
  for (const [name, ids] of groupsOf(web, nextOf(web, side, parent))) {
    const fold = `${wayOut(side, parent)}~${name}`
    const { shown, folded } = unfold(opened, fold, ids)
    for (const id of shown) {
      const unit = web.units.get(id)
      if (unit) entries.push(unitEntry(web, opened, unit, id, parent))
    }
    const sample = web.units.get(folded[0] ?? '')
    if (!sample) continue
    const rest = shown.length > 0
    entries.push({ kind: 'fold', id: fold, side, level: sample.level, parent, sample, members: folded, rest })
  }
  return entries
}

/** Everything that is shown: the start, then both sides, each entry before what is behind it. */
export function shownEntries(web: Web, opened: Opened): Entry[] {
  const start = web.units.get(web.start)
  if (!start) return []
  const all: Entry[] = [unitEntry(web, opened, start, web.start, null)]
  const visit = (side: Side, id: string) => {
    if (!opened.ways.has(wayOut(side, id))) return
    for (const entry of entriesBehind(web, opened, side, id)) {
      all.push(entry)
      if (entry.kind === 'unit') visit(side, entry.id)
    }
  }
  visit('from', web.start)
  visit('to', web.start)
  return all
}

/** Opens or closes what is behind a unit. What was open further out is as it was when it opens again. */
export function toggleWay(opened: Opened, way: string): Opened {
  const ways = new Set(opened.ways)
  if (!ways.delete(way)) ways.add(way)
  return { ...opened, ways }
}

export function openWays(opened: Opened, more: Iterable<string>): Opened {
  return { ...opened, ways: new Set([...opened.ways, ...more]) }
}

/** Takes the next units out of a fold. */
export function takeOut(opened: Opened, fold: string): Opened {
  const taken = new Map(opened.taken)
  taken.set(fold, (taken.get(fold) ?? 0) + TAKE)
  return { ...opened, taken }
}

/** Shows a unit wherever it is: opens the way to it, and takes it out of its fold. */
export function reveal(web: Web, opened: Opened, id: string): Opened {
  const unit = web.units.get(id)
  if (!unit || unit.side === 'start') return opened
  const side = unit.side
  const path = pathOf(web, id)
  const open = openWays(
    opened,
    path.slice(0, -1).map((one) => wayOut(side, one)),
  )
  const shown = new Set(shownEntries(web, open).map((entry) => entry.id))
  const hidden = path.filter((one) => !shown.has(one))
  return hidden.length === 0 ? open : { ...open, picked: new Set([...open.picked, ...hidden]) }
}

/** The ways that are closed, of what is shown. */
function closedWays(entries: readonly Entry[], side: Side): string[] {
  return entries.flatMap((entry) =>
    entry.kind === 'unit' && entry.more[side] > 0 && !entry.open[side] ? [wayOut(side, entry.id)] : [],
  )
}

/** Opens one more level everywhere, as long as not too much is shown; true if there was anything to open. */
export function openLevel(web: Web, opened: Opened, side: Side, atMost: number): Opened {
  const wider = openWays(opened, closedWays(shownEntries(web, opened), side))
  return shownEntries(web, wider).length > atMost ? opened : wider
}

export function canOpenLevel(web: Web, opened: Opened): boolean {
  const entries = shownEntries(web, opened)
  return closedWays(entries, 'from').length + closedWays(entries, 'to').length > 0
}

/** What is open at first: where it went as far as it goes, what it is made from for a level, and more while there is room. */
export function firstOpened(web: Web, room = 26): Opened {
  let opened = openWays(NOTHING_OPEN, [wayOut('from', web.start), wayOut('to', web.start)])
  for (const side of ['to', 'from'] as const) {
    for (let wider = openLevel(web, opened, side, room); wider.ways.size > opened.ways.size; ) {
      opened = wider
      wider = openLevel(web, opened, side, room)
    }
  }
  return opened
}

/** The entries from the start to this one, both included; folds have no way of their own. */
export function pathTo(web: Web, entries: readonly Entry[], id: string): string[] {
  if (web.units.has(id)) return pathOf(web, id)
  const fold = entries.find((entry) => entry.id === id)
  return fold?.parent ? [...pathOf(web, fold.parent), id] : []
}
