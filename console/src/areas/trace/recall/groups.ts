import type { Schemas } from '@/api'
import { PLACES, type Place } from './selection'

export type RecalledUnit = Schemas['RecalledUnit']

export interface Group {
  readonly place: Place
  readonly units: readonly RecalledUnit[]
}

export function placeOf(unit: RecalledUnit): Place {
  return PLACES.find((place) => place === unit.location.status) ?? 'none'
}

/** The units by where they are, in the order in which somebody acts on them; places without any are left out. */
export function groupsOf(units: readonly RecalledUnit[]): Group[] {
  const groups = new Map<Place, RecalledUnit[]>(PLACES.map((place) => [place, []]))
  for (const unit of units) groups.get(placeOf(unit))?.push(unit)
  return [...groups].filter(([, list]) => list.length > 0).map(([place, list]) => ({ place, units: list }))
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
  const references = unit.location.last_movement?.references
  const parts = [references?.partner_name ?? references?.partner_code, references?.sales_doc]
  return parts.filter((part) => part != null && part !== '').join(' · ') || null
}

/** Since when it is where it is, if a movement brought it there. */
export function sinceOf(unit: RecalledUnit): string | null {
  const { status, last_movement: last } = unit.location
  return status === 'shipped' || status === 'in_stock' ? (last?.end ?? null) : null
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
