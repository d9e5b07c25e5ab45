/*
 * Choosing the units of a batch before it begins: units that wait in front of a later phase, or labels for units that the first phase
 * makes.
 */

import { sameCode } from '@/scan/resolve'
import type { Unit } from '../model'

export type UnitPick =
  | { readonly kind: 'add'; readonly unit: Unit }
  | { readonly kind: 'twice'; readonly unit: Unit }
  | { readonly kind: 'tooMany' }
  | { readonly kind: 'notWaiting' }

/** What scanning a code means in front of a later phase. `most`: how many the job still needs. */
export function pickUnit(code: string, waiting: readonly Unit[], chosen: readonly string[], most: number): UnitPick {
  const unit = waiting.find((one) => one.serial_code !== null && sameCode(one.serial_code, code))
  if (!unit) return { kind: 'notWaiting' }
  if (chosen.includes(unit.serial_key)) return { kind: 'twice', unit }
  return chosen.length >= most ? { kind: 'tooMany' } : { kind: 'add', unit }
}

export type LabelPick =
  | { readonly kind: 'add'; readonly code: string }
  | { readonly kind: 'twice' }
  | { readonly kind: 'tooMany' }

/** What scanning a label means before the first phase begins. Whether the code is free, the service knows. */
export function pickLabel(code: string, labels: readonly string[], most: number): LabelPick {
  if (labels.some((one) => sameCode(one, code))) return { kind: 'twice' }
  return labels.length >= most ? { kind: 'tooMany' } : { kind: 'add', code: code.trim().toUpperCase() }
}

/** Units without a code are told apart by their place. */
export function unitPlace(units: readonly Unit[], unitKey: string): number {
  return units.findIndex((unit) => unit.serial_key === unitKey) + 1
}

export function codeOf(units: readonly Unit[] | null, unitKey: string | null): string | null {
  return units?.find((unit) => unit.serial_key === unitKey)?.serial_code ?? null
}

/** Units that can't get a code from a counter: somebody has to scan a label for each that is not scrapped before they are done. */
export function unlabelled(units: readonly Unit[] | null, scrapped: readonly string[] = []): Unit[] {
  return (units ?? []).filter(
    (unit) => unit.serial_code === null && unit.counter_key === null && !scrapped.includes(unit.serial_key),
  )
}
