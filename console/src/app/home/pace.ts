/*
 * Which orders lag: those past their date, those that have done less than the time that is gone asks for, and those that are due
 * soon and have not begun.
 */

import { type Decimal, ratio } from '@/api/decimal'

export interface PacedOrder {
  readonly status: 'created' | 'started' | 'closed'
  /** From 0 to 100. */
  readonly progress: Decimal
  readonly created: string
  readonly start: string | null
  readonly start_from: string | null
  readonly due_by: string | null
}

export type Lag =
  | { readonly kind: 'late'; readonly by: number }
  | { readonly kind: 'behind'; readonly expected: number; readonly gap: number }
  | { readonly kind: 'notStarted'; readonly left: number }

const DAY = 86_400_000
/** An order is behind if it lacks so much of what the time that is gone asks for. */
const TOLERANCE = 0.1
/** Not started, and due within this time. */
const SOON = 2 * DAY

function time(text: string | null): number | undefined {
  const parsed = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(parsed) ? undefined : parsed
}

/** The share of the time between start and due date that is gone; undefined where the order has not begun or has no date. */
export function expectedShare(order: PacedOrder, now: number): number | undefined {
  const due = time(order.due_by)
  const planned = time(order.start_from)
  const from = time(order.start) ?? (planned !== undefined && planned <= now ? planned : undefined)
  if (due === undefined || from === undefined) return undefined
  if (due <= from) return now >= due ? 1 : 0
  return Math.min(Math.max((now - from) / (due - from), 0), 1)
}

/** Why an order lags, or undefined if it does not. */
export function lagOf(order: PacedOrder, now: number): Lag | undefined {
  if (order.status === 'closed') return undefined
  const due = time(order.due_by)
  if (due === undefined) return undefined
  if (due < now) return { kind: 'late', by: now - due }
  const expected = expectedShare(order, now)
  const gap = expected === undefined ? 0 : expected - ratio(order.progress, 100)
  if (expected !== undefined && gap > TOLERANCE) return { kind: 'behind', expected, gap }
  if (order.status === 'created' && due - now < SOON) return { kind: 'notStarted', left: due - now }
  return undefined
}

const RANK: Readonly<Record<Lag['kind'], number>> = { late: 0, behind: 1, notStarted: 2 }

function weight(lag: Lag): number {
  if (lag.kind === 'late') return lag.by
  return lag.kind === 'behind' ? lag.gap : -lag.left
}

/** The orders that lag, the worst first. */
export function lagging<Order extends PacedOrder>(orders: readonly Order[], now: number): { order: Order; lag: Lag }[] {
  return orders
    .flatMap((order) => {
      const lag = lagOf(order, now)
      return lag ? [{ order, lag }] : []
    })
    .sort((a, b) => RANK[a.lag.kind] - RANK[b.lag.kind] || weight(b.lag) - weight(a.lag))
}
