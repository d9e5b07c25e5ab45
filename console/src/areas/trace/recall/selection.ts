/*
 * Which units are suspects, as the address bar has it and as the service is asked.
 */

import type { Schemas } from '@/api'
import { day, flag, oneOf, text, texts } from '@/app/search-params'

export const PLACES = ['shipped', 'in_stock', 'wip', 'scrapped', 'untracked', 'none'] as const
export type Place = (typeof PLACES)[number]

export interface Selection {
  /** Units by key. */
  readonly serial?: readonly string[] | undefined
  /** The name of a longer list of units, kept by this browser: see `lists.ts`. */
  readonly list?: string | undefined
  readonly product?: string | undefined
  /** A pattern of codes with `*` and `?`. */
  readonly code?: string | undefined
  readonly order?: string | undefined
  readonly batch?: string | undefined
  /** Days: made (or released) on or after, and on or before. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly day?: 'released' | undefined
  readonly rows?: 'all' | undefined
  readonly replaced?: true | undefined
  /** Which units are listed; all where left out. */
  readonly place?: Place | undefined
}

/** For `validateSearch`. */
export function selectionOf(search: Record<string, unknown>): Selection {
  return {
    serial: texts(search.serial),
    list: text(search.list),
    product: text(search.product),
    code: text(search.code),
    order: text(search.order),
    batch: text(search.batch),
    from: day(search.from),
    to: day(search.to),
    day: oneOf(search.day, ['released']),
    rows: oneOf(search.rows, ['all']),
    replaced: flag(search.replaced),
    place: oneOf(search.place, PLACES),
  }
}

/** What finds units by what they are, rather than by name. */
export type Criteria = Pick<Selection, 'product' | 'code' | 'order' | 'batch' | 'from' | 'to' | 'day'>

export const NO_CRITERIA: Criteria = {
  product: undefined,
  code: undefined,
  order: undefined,
  batch: undefined,
  from: undefined,
  to: undefined,
  day: undefined,
}

export function criteriaOf({ product, code, order, batch, from, to, day: which }: Selection): Criteria {
  return { product, code, order, batch, from, to, day: which }
}

export function hasCriteria({ product, code, order, batch, from, to }: Criteria): boolean {
  return [product, code, order, batch, from, to].some((one) => one !== undefined)
}

export function hasDays({ from, to }: Criteria): boolean {
  return from !== undefined || to !== undefined
}

/** Whether anybody is suspected. */
export function isEmpty(selection: Selection): boolean {
  return (selection.serial ?? []).length === 0 && selection.list === undefined && !hasCriteria(selection)
}

export type RecallBody = Schemas['RecallSearch']

/** What the service is asked for. The recall knows no days: units of days come among `keys`, found by the search for serials. */
export function bodyOf(selection: Selection, keys: readonly string[]): RecallBody {
  const direct = hasDays(selection) ? NO_CRITERIA : criteriaOf(selection)
  return {
    serial_key: [...new Set(keys)],
    product_key: direct.product ?? null,
    code: direct.code ?? null,
    work_order_key: direct.order ?? null,
    batch_key: direct.batch ?? null,
    rows: selection.rows ?? 'roots',
    include_replaced: selection.replaced ?? false,
    offset: 0,
    count: false,
  }
}

/** Whether the body names anybody: days in which nothing was made give no suspects. */
export function namesAnybody(body: RecallBody): boolean {
  return (
    body.serial_key.length > 0 ||
    [body.product_key, body.code, body.work_order_key, body.batch_key].some((one) => one != null)
  )
}
