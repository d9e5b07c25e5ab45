/*
 * Which orders lag, by the same rule as the plan: those past their date, and those whose running jobs reach beyond it.
 */

import { type Order, type Trouble, troublesOf } from '@/areas/production/orders'

export type Lag = Extract<Trouble, { readonly kind: 'late' | 'risk' }>

/** Why an order lags, or undefined if it does not. */
export function lagOf(order: Order, now: Date): Lag | undefined {
  return troublesOf(order, now, false).find((one): one is Lag => one.kind === 'late' || one.kind === 'risk')
}

/** The orders that lag, the late ones first; of each kind those that are due first. */
export function lagging(orders: readonly Order[], now: Date): { order: Order; lag: Lag }[] {
  return orders
    .flatMap((order) => {
      const lag = lagOf(order, now)
      return lag ? [{ order, lag }] : []
    })
    .sort((a, b) => a.lag.kind.localeCompare(b.lag.kind) || (a.order.due_by ?? '').localeCompare(b.order.due_by ?? ''))
}
