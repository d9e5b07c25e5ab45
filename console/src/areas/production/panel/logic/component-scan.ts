/*
 * What a scan means while a batch is worked on: a component for the unit in hand, another unit to take in hand, an answer to the question
 * on the screen, or something wrong, with the reason.
 */

import type { ApiFailure } from '@/api/faults'
import { sameCode } from '@/scan/resolve'
import type { Declared, Line, Serial, Unit } from '../model'
import { type Need, nextSlot, type Slot } from './components'

export type Found = Pick<Serial, '_key' | 'code' | 'product_key' | 'state' | 'scrap_reason'>

export interface Bench {
  readonly lines: readonly Line[]
  readonly slots: readonly Slot[]
  /** Null if the order is not traced. */
  readonly units: readonly Unit[] | null
  readonly declared: readonly Declared[]
  readonly inHand: string | null
  /** A text question is on the screen: what is no unit may answer it. */
  readonly asksText: boolean
}

export type Refusal =
  | { readonly why: 'nothing' }
  | { readonly why: 'wrongPart'; readonly serial: Found; readonly expected: Need | null }
  | { readonly why: 'notNeeded'; readonly serial: Found }
  | { readonly why: 'declared'; readonly unitKey: string | null }
  | { readonly why: 'used' | 'scrapped' | 'deleted'; readonly serial: Found }
  | { readonly why: 'hasAlready'; readonly need: Need; readonly unitKey: string | null; readonly other: string | null }
  | { readonly why: 'full'; readonly need: Need }
  | { readonly why: 'productCode'; readonly code: string }

export type Meaning =
  | { readonly kind: 'unit'; readonly unitKey: string }
  | { readonly kind: 'link'; readonly child: Found; readonly unitKey: string | null; readonly need: Need }
  | { readonly kind: 'untraced'; readonly line: Line }
  | { readonly kind: 'answer' }
  | { readonly kind: 'refuse'; readonly refusal: Refusal }

function refuse(refusal: Refusal): Meaning {
  return { kind: 'refuse', refusal }
}

/** No unit has the code: it is that of a product, an answer, or nothing. */
function withoutUnit(code: string, bench: Bench): Meaning {
  const line = bench.lines.find((one) => sameCode(one.component_code, code))
  if (line) return line.traceability_level === null ? { kind: 'untraced', line } : refuse({ why: 'productCode', code })
  return bench.asksText ? { kind: 'answer' } : refuse({ why: 'nothing' })
}

/** Where a component goes: into the unit in hand, and nowhere else without being told so. */
function placed(child: Found, bench: Bench): Meaning {
  const own = bench.slots.filter((slot) => slot.need.componentKey === child.product_key)
  const here = own.find((slot) => slot.unitKey === bench.inHand)
  if (here && here.missing > 0) return { kind: 'link', child, unitKey: here.unitKey, need: here.need }
  const other = own.find((slot) => slot.missing > 0)
  const need = (here ?? other ?? own[0])?.need
  if (!need) return refuse({ why: 'notNeeded', serial: child })
  if (other) return refuse({ why: 'hasAlready', need, unitKey: bench.inHand, other: other.unitKey })
  return refuse({ why: 'full', need })
}

function ofState(child: Found, bench: Bench): Meaning {
  const known = bench.declared.find((one) => one._key === child._key)
  if (known) return refuse({ why: 'declared', unitKey: known.parent_serial_key })
  const { state } = child
  if (state === 'used' || state === 'scrapped' || state === 'deleted') return refuse({ why: state, serial: child })
  return placed(child, bench)
}

/** Whether the service refused to link a unit because somebody is still making it. */
export function isUnfinished({ errorType, data }: Pick<ApiFailure, 'errorType' | 'data'>): boolean {
  return errorType === 'SerialNotLinkedError' && data.rule === 'in_production'
}

/** `found`: the live units that have the scanned code, of any product. */
export function meaningOf(code: string, found: readonly Found[], bench: Bench): Meaning {
  const ownUnit = bench.units?.find((unit) => unit.serial_code !== null && sameCode(unit.serial_code, code))
  if (ownUnit) return { kind: 'unit', unitKey: ownUnit.serial_key }
  const needed = new Set(bench.slots.map((slot) => slot.need.componentKey))
  const expected = nextSlot(bench.slots, bench.inHand)?.need ?? null
  const candidates = found.filter((one) => needed.has(one.product_key))
  const child = candidates.find((one) => one.product_key === expected?.componentKey) ?? candidates[0]
  if (child) return ofState(child, bench)
  const [wrong] = found
  if (!wrong) return withoutUnit(code, bench)
  return needed.size === 0
    ? refuse({ why: 'notNeeded', serial: wrong })
    : refuse({ why: 'wrongPart', serial: wrong, expected })
}
