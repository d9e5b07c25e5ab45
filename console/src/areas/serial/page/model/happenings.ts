/*
 * What happened to a unit. One act gives many events (completing a batch enters values, builds parts in, releases and stores the unit), so
 * the events of one group are told as one happening: the line that matters most, and the others below it.
 */

import { inOrder, textOf, timeOf, type UnitEvent } from './events'
import { type Line, linesOf, type Slot, type WordsContext } from './words'

export interface Happening {
  readonly id: string
  readonly at: string
  readonly time: number
  readonly userKey: string
  readonly headline: Line
  readonly further: readonly Line[]
  /** What the person wrote with it. */
  readonly remark: string | null
}

function groups(events: readonly UnitEvent[]): UnitEvent[][] {
  const found = new Map<string, UnitEvent[]>()
  for (const event of inOrder(events)) {
    const id = `${event.event_group} ${event.timestamp}`
    const group = found.get(id)
    if (group) group.push(event)
    else found.set(id, [event])
  }
  return [...found.values()]
}

/** An end of a link that another event of the group has already told: the part that was replaced. */
function isTold(event: UnitEvent, group: readonly UnitEvent[]): boolean {
  const child = textOf(event.payload, 'child_serial_key')
  return (
    event.event_type === 'SERIAL_UNLINKED' &&
    group.some((other) => child !== undefined && textOf(other.payload, 'replaces_serial_key') === child)
  )
}

const joins = new Set<string>(['serial.event.partsIn', 'serial.event.partsOut'])

function keysOf(slot: Slot | undefined): readonly string[] {
  return slot !== undefined && 'units' in slot ? slot.units : []
}

/** Parts that were built in or taken out together, for the same reason, become one line. The same line is told once. */
export function merged(lines: readonly Line[]): Line[] {
  const found = new Map<string, Line>()
  for (const line of lines) {
    const together = joins.has(line.key)
    const id = together
      ? `${line.key} ${line.note ?? ''}`
      : JSON.stringify([line.key, line.slots, line.note, line.values])
    const before = found.get(id)
    if (before === undefined) found.set(id, line)
    else if (together) {
      const parts = { units: [...keysOf(before.slots.parts), ...keysOf(line.slots.parts)] }
      found.set(id, { ...before, slots: { parts } })
    }
  }
  return [...found.values()]
}

/** What head and details of a happening are; without quiet lines, unless there is nothing else. */
function ranked(lines: readonly Line[]): Line[] {
  const loud = lines.filter(({ quiet }) => !quiet)
  const shown = loud.length > 0 ? loud : lines.slice(0, 1)
  return [...shown].sort((a, b) => a.rank - b.rank)
}

function happening(group: readonly UnitEvent[], context: WordsContext): Happening | undefined {
  const first = group[0]
  const lines = group.filter((event) => !isTold(event, group)).flatMap((event) => linesOf(event, context))
  const [headline, ...further] = ranked(merged(lines))
  if (first === undefined || headline === undefined) return undefined
  return {
    id: first._key,
    at: first.timestamp,
    time: timeOf(first),
    userKey: first.user_key,
    headline,
    further,
    remark: group.find(({ description }) => description)?.description ?? null,
  }
}

/** All that happened, in its order. */
export function happeningsOf(events: readonly UnitEvent[], context: WordsContext): Happening[] {
  return groups(events).flatMap((group) => happening(group, context) ?? [])
}

/** The units that lines speak of. */
export function unitsIn(happenings: readonly Happening[]): Set<string> {
  const keys = new Set<string>()
  for (const { headline, further } of happenings) {
    for (const { slots } of [headline, ...further]) {
      for (const slot of Object.values(slots)) for (const key of keysOf(slot)) keys.add(key)
    }
  }
  return keys
}

export interface Mark {
  readonly time: number
  /** Undefined where only something inside the unit has changed. */
  readonly headline?: Line
}

/** Every moment at which something changed, once, in order: what happened to the unit, and links of the units inside it. */
export function marksOf(happenings: readonly Happening[], insideTimes: readonly number[]): Mark[] {
  const marks = new Map<number, Mark>()
  for (const time of insideTimes) marks.set(time, { time })
  for (const { time, headline } of happenings) {
    const before = marks.get(time)?.headline
    if (before === undefined || headline.rank < before.rank) marks.set(time, { time, headline })
  }
  return [...marks.values()].sort((a, b) => a.time - b.time)
}
