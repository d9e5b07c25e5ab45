import { day, flag, oneOf, text } from '@/app/search-params'
import { daysBetween } from '@/ui/days'
import { SHOWN, type Shown } from './filters'

/** The search params of the plan: what is shown, and whether the form of a new order is open. */
export interface PlanSearch {
  readonly view?: 'orders'
  /** Which orders of the queue. */
  readonly show?: Shown
  readonly q?: string
  /** Only the orders of this product. */
  readonly of?: string
  /** The form of a new order is open, perhaps with a product that was chosen elsewhere. */
  readonly new?: true
  readonly product?: string
  /** Of all orders. */
  readonly state?: 'open' | 'closed'
  readonly start_from?: string
  readonly start_to?: string
  readonly end_from?: string
  readonly end_to?: string
}

export function readPlanSearch(search: Record<string, unknown>): PlanSearch {
  return {
    view: oneOf(search.view, ['orders']),
    show: oneOf(search.show, SHOWN),
    q: text(search.q),
    of: text(search.of),
    new: flag(search.new),
    product: text(search.product),
    state: oneOf(search.state, ['open', 'closed']),
    start_from: day(search.start_from),
    start_to: day(search.start_to),
    end_from: day(search.end_from),
    end_to: day(search.end_to),
  }
}

/** What the service is asked for, by the filters of the list. */
export function listQuery(search: PlanSearch) {
  const started = daysBetween(search.start_from, search.start_to)
  const ended = daysBetween(search.end_from, search.end_to)
  return {
    search: search.q,
    product_key: search.of,
    open: search.state !== 'closed',
    closed: search.state !== 'open',
    time_start_from: started.from,
    time_start_to: started.to,
    time_end_from: ended.from,
    time_end_to: ended.to,
  }
}
