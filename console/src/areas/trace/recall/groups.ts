import type { Schemas } from '@/api'
import type { Text } from '@/i18n'
import { PLACES, type Place } from './selection'

export type RecalledUnit = Schemas['RecalledUnit']

export interface Group {
  readonly place: Place
  readonly units: readonly RecalledUnit[]
}

/** Where it is; a scrapped one is that, whatever it lies in. */
export function placeOf(unit: RecalledUnit): Place {
  if (unit.state === 'scrapped') return 'scrapped'
  return PLACES.find((place) => place === unit.location.status) ?? 'none'
}

/** The units by where they are, in the order in which somebody acts on them; places without any are left out. */
export function groupsOf(units: readonly RecalledUnit[]): Group[] {
  const groups = new Map<Place, RecalledUnit[]>(PLACES.map((place) => [place, []]))
  for (const unit of units) groups.get(placeOf(unit))?.push(unit)
  return [...groups].filter(([, list]) => list.length > 0).map(([place, list]) => ({ place, units: list }))
}

/** Those that can still be somewhere in use, and those that were scrapped: nobody has to look for them. */
export function countsOf(units: readonly RecalledUnit[]): { affected: number; scrapped: number } {
  const scrapped = units.filter((unit) => placeOf(unit) === 'scrapped').length
  return { affected: units.length - scrapped, scrapped }
}

/** Names a row: a unit comes once. */
export function unitId(unit: RecalledUnit): string {
  return `${unit.unit_type}/${unit.serial_key ?? unit.batch_key ?? ''}`
}

/** Whether it lies in another unit today. */
export function isInside(unit: RecalledUnit): boolean {
  if (unit.unit_type === 'batch') return false
  return unit.root_batch_key !== null || unit.root_serial_key !== unit.serial_key
}

/** Who has it, and by which document, of a unit that left. */
export function partnerOf(unit: RecalledUnit): string | null {
  return partnerParts(unit).join(' · ') || null
}

/** The partner and the document, as far as they are known. */
export function partnerParts(unit: RecalledUnit): string[] {
  const references = unit.location.last_movement?.references
  return [references?.partner_name ?? references?.partner_code, references?.sales_doc].filter(
    (part): part is string => part != null && part !== '',
  )
}

/** Who has a unit that left, and where, if it still stands in a position: on loan or in consignment, as its own page tells it. */
export function awayAt(unit: RecalledUnit): { partner: string; code: string } | null {
  const { position_code: code, last_movement: movement } = unit.location
  const partner = movement?.references?.partner_name
  if (placeOf(unit) !== 'shipped' || movement?.type === 'shipment' || !code || !partner) return null
  return { partner, code }
}

/** The position of a unit in stock, who has a shipped one, in what a built-in one is. */
export function detailOf(t: Text, unit: RecalledUnit): string | null {
  const away = awayAt(unit)
  if (away !== null) return t('trace.recall.with', away)
  return placeOf(unit) === 'shipped' ? (partnerOf(unit) ?? unit.location.position_code) : unit.location.position_code
}

/** How many units each customer has, those with the most first. */
export function customersOf(units: readonly RecalledUnit[]): { name: string | null; count: number }[] {
  const counts = new Map<string | null, number>()
  for (const unit of units) {
    const references = unit.location.last_movement?.references
    const name = references?.partner_name || references?.partner_code || null
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .sort((a, b) => Number(a.name === null) - Number(b.name === null) || b.count - a.count)
}

/** Since when it is where it is, if a movement brought it there. */
export function sinceOf(unit: RecalledUnit): string | null {
  const place = placeOf(unit)
  return place === 'shipped' || place === 'in_stock' ? (unit.location.last_movement?.end ?? null) : null
}

/** The first suspects of the units, each once, up to so many: their codes are worth asking for. */
export function suspectsIn(units: readonly RecalledUnit[], atMost: number): string[] {
  const keys = new Set<string>()
  for (const unit of units) {
    for (const key of unit.via) {
      keys.add(key)
      if (keys.size > atMost) return []
    }
  }
  return [...keys]
}

/** How many suspects there are, if the answer tells: each is in one outermost unit, or in the list itself. */
export function suspectCount(
  units: readonly RecalledUnit[],
  asked: { rows?: 'roots' | 'all'; include_replaced?: boolean },
): number | undefined {
  if (asked.rows === 'all') return units.filter(({ depth }) => depth === 0).length
  if (asked.include_replaced) return undefined
  return units.reduce((sum, unit) => sum + unit.via_count, 0)
}
