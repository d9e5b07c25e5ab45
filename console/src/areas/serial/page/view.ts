/*
 * Everything that the page shows, at the moment it looks at. Parts of the page get what they need from here, so that none of them can look
 * at another moment than the others.
 */

import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useReducer } from 'react'
import { clock, serviceNow } from '@/clock'
import { type Notice, useLive } from '@/live'
import { isoOf, parseAsOf } from './model/as-of'
import { inOrder, type UnitEvent } from './model/events'
import { type Happening, happeningsOf, type Mark, marksOf, unitsIn } from './model/happenings'
import { type Facts, type Field, factsAt, fieldsAt, type SerialState, stateOf } from './model/past'
import { isShipped, type Movement, type Place, placeAt } from './model/place'
import { makeScale, type Scale } from './model/scale'
import { codesIn, linkTimes, type TreeNode, wayTo, withTakenOut } from './model/tree'
import {
  codesQuery,
  eventsQuery,
  movementsQuery,
  outsideQuery,
  peopleQuery,
  recordQuery,
  treeQuery,
  unitQuery,
} from './queries'

const MINUTE = 60_000
const NO_EVENTS: readonly UnitEvent[] = []
const NO_MOVEMENTS: readonly Movement[] = []
const NO_FIELDS: readonly Field[] = []
const NOWHERE: ReadonlySet<string> = new Set()

/** The time of now by the service, to the minute: often enough for a slider. */
function useNow(): { now: number; told: boolean } {
  const [, tick] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const timer = setInterval(tick, MINUTE)
    return () => clearInterval(timer)
  }, [])
  return { now: Math.ceil(serviceNow() / MINUTE) * MINUTE, told: clock.time() !== null }
}

/** Whether a notice may concern the unit or what is in it. */
export function isAbout(notice: Notice, keys: ReadonlyMap<string, string>, serialKey: string): boolean {
  const listed = Array.isArray(notice.serial_keys) ? notice.serial_keys : []
  const named = [notice.serial_key, ...listed].filter((key) => typeof key === 'string')
  if (named.length === 0 || Number(notice.count ?? 0) > named.length) return true
  return named.some((key) => key === serialKey || keys.has(key))
}

/** The unit, its tree and its events, as they are read. */
function useSources(serialKey: string, asOf: string | undefined, exists: boolean) {
  const tree = useQuery({ ...treeQuery(serialKey, asOf), enabled: exists })
  const today = useQuery(treeQuery(serialKey, undefined))
  const events = useQuery(eventsQuery(serialKey))
  const record = useQuery(recordQuery(serialKey))
  const people = useQuery(peopleQuery())
  const outside = useQuery(outsideQuery())
  return { tree, today, events, record, people, outside }
}

/** What happened, told with the names of phases and positions. */
function useHappenings(
  serialKey: string,
  events: readonly UnitEvent[],
  record: RecordData | undefined,
  movements: readonly Movement[],
) {
  return useMemo(() => {
    const rows = new Map(movements.map((row) => [row._key, row]))
    const phases = phaseNames(record)
    const issues = new Map(record?.acceptance_records.issues.map((issue) => [issue.issue_key, issue.title]))
    return happeningsOf(events, {
      serialKey,
      phase: (key) => (key === null ? undefined : phases.get(key)),
      movement: (key) => (key === null ? undefined : rows.get(key)),
      issue: (key) => (key === null ? undefined : (issues.get(key) ?? undefined)),
    })
  }, [serialKey, events, record, movements])
}

/** What units are called: those of the tree, and those that events speak of. */
function useCodes(today: TreeNode | null | undefined, happenings: readonly Happening[]): ReadonlyMap<string, string> {
  const known = useMemo(() => (today ? codesIn(today) : new Map<string, string>()), [today])
  const wanted = useMemo(
    () =>
      [...unitsIn(happenings)]
        .filter((key) => !known.has(key))
        .sort()
        .slice(0, 200),
    [happenings, known],
  )
  const further = useQuery({ ...codesQuery(wanted), enabled: today !== undefined && wanted.length > 0 })
  return useMemo(() => new Map([...(further.data ?? []), ...known]), [further.data, known])
}

export type UnitView = ReturnType<typeof useUnitView>

export function useUnitView(serialKey: string, asOfText: string | undefined) {
  const { now, told } = useNow()
  const unit = useQuery(unitQuery(serialKey))
  const time = parseAsOf(asOfText, told ? now : null)
  const created = unit.data ? Date.parse(unit.data.created) : undefined
  const notYet = time !== undefined && created !== undefined && time < created
  const asOf = time === undefined ? undefined : isoOf(time)
  const sources = useSources(serialKey, asOf, asOf === undefined || (created !== undefined && !notYet))
  const { tree, today, record } = sources

  const events = useMemo(() => inOrder(sources.events.data ?? NO_EVENTS), [sources.events.data])
  const way = useMemo(() => (tree.data ? wayTo(tree.data, serialKey) : []), [tree.data, serialKey])
  // While the tree of another moment stands in, it says nothing about what the unit is built into.
  const around = tree.isPlaceholderData ? [] : way.slice(0, -1)
  const node = useMemo(() => {
    const then = way.at(-1)
    const now =
      time === undefined || tree.isPlaceholderData ? undefined : today.data && wayTo(today.data, serialKey).at(-1)
    return then && now && time !== undefined ? withTakenOut(then, now, time) : then
  }, [way, time, tree.isPlaceholderData, today.data, serialKey])
  const rootKey = around[0]?.serial_key ?? serialKey
  const keys = rootKey === serialKey ? [serialKey] : [serialKey, rootKey]
  const moves = useQuery(movementsQuery(keys))
  const movements = moves.data ?? NO_MOVEMENTS
  const happenings = useHappenings(serialKey, events, record.data, movements)
  const codes = useCodes(today.data, happenings)
  useLive(['serial', 'issue'], (notice) => isAbout(notice, codes, serialKey))
  useLive(['inventory'])

  const marks = useMemo<Mark[]>(() => {
    const own = today.data ? wayTo(today.data, serialKey).at(-1) : undefined
    const since = created ?? Number.POSITIVE_INFINITY
    return marksOf(happenings, own ? linkTimes(own).filter((time) => time >= since) : [])
  }, [happenings, today.data, serialKey, created])
  const scale = useMemo<Scale>(() => {
    const times = marks.map((mark) => mark.time)
    return makeScale(Math.min(created ?? now, times[0] ?? now), now, times)
  }, [marks, created, now])

  const outside = sources.outside.data ?? NOWHERE
  const place: Place | null = placeAt(movements, rootKey, outside, time ?? Number.POSITIVE_INFINITY)
  const own: Place | null = placeAt(movements, serialKey, outside, time ?? Number.POSITIVE_INFINITY)
  const then = useMemo<Facts | undefined>(
    () => (unit.data && time !== undefined ? factsAt(unit.data, events, time) : undefined),
    [unit.data, events, time],
  )
  const facts: Facts | undefined = then ?? (unit.data && present(unit.data))
  const state: SerialState | undefined = then === undefined ? unit.data?.state : stateOf(then, own?.kind === 'inside')
  const fields = useMemo(() => {
    const all = record.data?.acceptance_records.fields ?? NO_FIELDS
    return time === undefined ? all : fieldsAt(all, events, time)
  }, [record.data, events, time])

  return {
    serialKey,
    now,
    time,
    asOf,
    notYet,
    unit,
    tree,
    record,
    eventsQuery: sources.events,
    events,
    people: sources.people.data,
    node,
    around,
    rootKey,
    place,
    facts,
    state,
    shipped: isShipped(state, own),
    fields,
    happenings,
    marks,
    scale,
    codes,
  }
}

function present(unit: {
  code: string | null
  released: string | null
  scrapped: string | null
  scrap_reason: string | null
  deleted: string | null
  state: SerialState
}): Facts {
  const { code, released, scrapped, scrap_reason: reason, deleted } = unit
  const scrap = scrapped === null ? null : { at: scrapped, reason }
  return { code, released, scrapped: scrap, deleted: deleted !== null, builtIn: unit.state === 'used' }
}

type RecordData = NonNullable<ReturnType<typeof useSources>['record']['data']>

function phaseNames(record: RecordData | undefined): Map<string, string> {
  const names = new Map<string, string>()
  const rows = [...(record?.dates_of_manufacture.phases ?? []), ...(record?.acceptance_records.step_data ?? [])]
  for (const { phase_key, phase_alias } of rows) if (phase_key && phase_alias) names.set(phase_key, phase_alias)
  return names
}
