import type { StateOf } from '@/ui/states'
import { orderState } from '@/ui/states'
import { isAtRisk, isLate, type Order } from '../orders'

export const SHOWN = ['running', 'paused', 'todo', 'late', 'critical'] as const
export type Shown = (typeof SHOWN)[number]

const STATES: Record<Exclude<Shown, 'late' | 'critical'>, readonly StateOf<'order'>[]> = {
  running: ['started', 'between'],
  paused: ['paused'],
  todo: ['created'],
}

/** Whether an order belongs to a choice above the queue. */
export function belongs(order: Order, shown: Shown | undefined): boolean {
  if (shown === undefined) return true
  if (shown === 'late') return isLate(order) || isAtRisk(order)
  if (shown === 'critical') return order.critical
  return STATES[shown].includes(orderState(order))
}

/** Whether somebody who types this looks for the order. */
export function contains(order: Order, typed: string | undefined): boolean {
  const words = (typed ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const text = [order.wo_code, order.product_code, order.product_description, order.project_code]
    .join('\n')
    .toLowerCase()
  return words.every((word) => text.includes(word))
}

export function filtered(orders: readonly Order[], shown: Shown | undefined, typed: string | undefined): Order[] {
  return orders.filter((order) => belongs(order, shown) && contains(order, typed))
}

/** How many orders each choice has. */
export function countsOf(orders: readonly Order[]): Record<Shown, number> {
  const count = (shown: Shown) => orders.filter((order) => belongs(order, shown)).length
  return {
    running: count('running'),
    paused: count('paused'),
    todo: count('todo'),
    late: count('late'),
    critical: count('critical'),
  }
}
