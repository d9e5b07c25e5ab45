/*
 * The plan, narrowed to one product.
 */

import { stringifySearch } from '@/app/search-params'
import type { Order } from '../orders'
import type { PlanSearch } from './search'

/** The address of a view, with the product that it was narrowed to. */
export function planPage({ view, of }: Pick<PlanSearch, 'view' | 'of'>): string {
  return `/plan${stringifySearch({ view, of })}`
}

/** Those that make the product; all without one. */
export function ofProduct(orders: readonly Order[], product: string | undefined): readonly Order[] {
  return product === undefined ? orders : orders.filter(({ product_key }) => product_key === product)
}
