/*
 * What will be scrapped with the batch. It is marked as soon as it happens and sent when the batch is completed.
 */

import { add, compare, type Decimal, subtract } from '@/api/decimal'

export interface Mark {
  /** The unit; null where units are not traced. */
  readonly unitKey: string | null
  /** 1 for a unit. */
  readonly quantity: string
  readonly reason: string
}

const LONGEST = 500
const BETWEEN = '; '

export function markUnit(marks: readonly Mark[], unitKey: string, reason: string): Mark[] {
  return [...unmark(marks, unitKey), { unitKey, quantity: '1', reason: reason.trim() }]
}

export function markQuantity(marks: readonly Mark[], quantity: Decimal, reason: string): Mark[] {
  return [...marks, { unitKey: null, quantity: add(quantity), reason: reason.trim() }]
}

export function unmark(marks: readonly Mark[], unitKey: string): Mark[] {
  return marks.filter((mark) => mark.unitKey !== unitKey)
}

/** Marks of somebody else beside the own ones; a unit that has a mark keeps it. */
export function mergeMarks(own: readonly Mark[], others: readonly Mark[]): Mark[] {
  const known = new Set(scrapKeys(own))
  return [...own, ...others.filter(({ unitKey }) => unitKey === null || !known.has(unitKey))]
}

/** Takes back what was marked by number, at its place in the list. */
export function unmarkAt(marks: readonly Mark[], at: number): Mark[] {
  return marks.filter((_, index) => index !== at)
}

export function scrapQt(marks: readonly Mark[]): string {
  return add('0', ...marks.map((mark) => mark.quantity))
}

export function scrapKeys(marks: readonly Mark[]): string[] {
  return marks.flatMap(({ unitKey }) => (unitKey === null ? [] : [unitKey]))
}

/** The reasons as one text: the service keeps one for each batch. */
export function scrapReason(marks: readonly Mark[]): string {
  const reasons = [...new Set(marks.map((mark) => mark.reason).filter((reason) => reason !== ''))]
  return [...reasons.join(BETWEEN)].slice(0, LONGEST).join('')
}

/** The reasons in such a text, one by one. */
export function reasonsIn(text: string): string[] {
  return text.split(BETWEEN).filter((reason) => reason.trim() !== '')
}

/** What passes if the batch is completed now. */
export function passes(total: Decimal, marks: readonly Mark[]): string {
  return subtract(total, scrapQt(marks))
}

/** Marks of units that have left the batch, and of more than there is, no longer count. */
export function stillThere(marks: readonly Mark[], total: Decimal, unitKeys: readonly string[] | null): Mark[] {
  if (unitKeys !== null) return marks.filter(({ unitKey }) => unitKey !== null && unitKeys.includes(unitKey))
  const kept: Mark[] = []
  for (const mark of marks.filter(({ unitKey }) => unitKey === null)) {
    if (compare(add(scrapQt(kept), mark.quantity), total) <= 0) kept.push(mark)
  }
  return kept
}
