/*
 * Which components have to be scanned into which unit, and which of them are still missing.
 */

import { add, type Decimal, multiply, plain } from '@/api/decimal'
import type { Declared, JobDetail, Line, Order, Unit } from '../model'

/** A traced component: so many units of it go into each unit, or into the batch if the order is not traced. */
export interface Need {
  readonly componentKey: string
  readonly code: string
  readonly description: string | null
  readonly count: number
}

/** A decimal rounded up to whole units. */
export function wholeUnits(value: Decimal): number {
  const [whole = '0', fraction] = plain(value).split('.')
  return Number(whole) + (fraction === undefined ? 0 : 1)
}

type JobLines = Pick<JobDetail, 'phase_key' | 'traceability_level' | 'wo_bom'>
type OrderLines = Pick<Order, 'phase_sequence' | 'wo_bom'>

function sumOf(order: OrderLines, component: string, phases: readonly string[]): string {
  const lines = order.wo_bom.filter((line) => line.component_key === component && phases.includes(line.phase_key))
  return add('0', ...lines.map((line) => line.qt))
}

/** Lines of this phase and of those before it count together, rounded up; what earlier phases had to build in is there. */
function perUnit(job: JobLines, order: OrderLines, component: string): number {
  const at = order.phase_sequence.indexOf(job.phase_key)
  const before = order.phase_sequence.slice(0, Math.max(at, 0))
  const upTo = sumOf(order, component, [...before, job.phase_key])
  return wholeUnits(upTo) - wholeUnits(sumOf(order, component, before))
}

/** The traced lines of a phase, each component once, in the order of the bill of materials. */
function tracedLines(lines: readonly Line[]): Line[] {
  const seen = new Set<string>()
  return lines.filter(({ traceability_level: level, component_key: key }) => {
    if (level === null || seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** What has to be scanned at this phase. `batchQt` counts only where the order is not traced. */
export function needsOf(job: JobLines, order: OrderLines, batchQt: Decimal): Need[] {
  const needs = tracedLines(job.wo_bom).map((line) => ({
    componentKey: line.component_key,
    code: line.component_code,
    description: line.component_description,
    count:
      job.traceability_level === null
        ? wholeUnits(multiply(sumOf(order, line.component_key, [job.phase_key]), batchQt))
        : perUnit(job, order, line.component_key),
  }))
  return needs.filter(({ count }) => count > 0)
}

/** A component that is taken without being scanned, with what the whole batch takes of it. */
export interface Loose {
  readonly key: string
  readonly code: string
  readonly description: string | null
  readonly quantity: string
}

export function looseOf(lines: readonly Line[], batchQt: Decimal): Loose[] {
  return lines
    .filter((line) => line.traceability_level === null)
    .map((line) => ({
      key: line.component_key,
      code: line.component_code,
      description: line.component_description,
      quantity: multiply(line.qt, batchQt),
    }))
}

export function declaredIn(lines: readonly Line[]): Declared[] {
  return lines.flatMap((line) => line.declared_serials)
}

/** One component of one unit (null: of the batch), and what is in it so far. */
export interface Slot {
  readonly unitKey: string | null
  readonly need: Need
  readonly filled: readonly Declared[]
  readonly missing: number
}

/** The places to fill, unit by unit. Units that will be scrapped need nothing more. */
export function slotsOf(
  needs: readonly Need[],
  units: readonly Unit[] | null,
  declared: readonly Declared[],
  scrapped: ReadonlySet<string>,
): Slot[] {
  const places = units === null ? [null] : units.map((unit) => unit.serial_key)
  return places.flatMap((unitKey) =>
    needs.map((need) => {
      const filled = declared.filter(
        (one) => one.component_key === need.componentKey && one.parent_serial_key === unitKey,
      )
      const lacking = unitKey !== null && scrapped.has(unitKey) ? 0 : Math.max(0, need.count - filled.length)
      return { unitKey, need, filled, missing: lacking }
    }),
  )
}

export function missingIn(slots: readonly Slot[]): number {
  return slots.reduce((sum, slot) => sum + slot.missing, 0)
}

/** The unit whose components are scanned: the chosen one while it lacks some, else the first that does. */
export function unitInHand(slots: readonly Slot[], chosen: string | null): string | null {
  const lacks = (unitKey: string | null) => slots.some((slot) => slot.unitKey === unitKey && slot.missing > 0)
  if (chosen !== null && lacks(chosen)) return chosen
  return slots.find((slot) => slot.missing > 0)?.unitKey ?? chosen ?? slots[0]?.unitKey ?? null
}

/** What to scan next: the first missing component of the unit in hand. */
export function nextSlot(slots: readonly Slot[], inHand: string | null): Slot | null {
  return slots.find((slot) => slot.unitKey === inHand && slot.missing > 0) ?? null
}
