import { isDecimal } from '@/api/decimal'
import { oneOf, text } from '@/app/search-params'
import type { Scope } from '@/session'

/** The parts of a product page, in the order people ask for them. */
export const TABS = [
  'data',
  'process',
  'bom',
  'where-used',
  'versions',
  'stock',
  'serials',
  'documents',
  'figures',
] as const
export type Tab = (typeof TABS)[number]

export function isTab(text: string): text is Tab {
  return TABS.some((tab) => tab === text)
}

/** The right that a part needs besides that for the product itself. */
export const TAB_SCOPES: Readonly<Partial<Record<Tab, Scope>>> = {
  process: 'process:template:read',
  bom: 'product:bom:read',
  'where-used': 'product:bom:read',
  versions: 'product:bom:read',
  stock: 'inventory:inventory:read',
  serials: 'serial:read',
}

export function productPage(key: string, tab: Tab = 'data'): string {
  return `/product/${encodeURIComponent(key)}/${tab}`
}

/** What the address says besides the part: how the bill of materials is shown, what is compared, which figures. */
export interface PageSearch {
  /** Explosion: how many units are to be made. A plain decimal above zero. */
  qt?: string | undefined
  /** Explosion: down to which level. */
  levels?: string | undefined
  view?: 'needs' | undefined
  /** Versions: the older and the newer one, or another product. */
  from?: string | undefined
  to?: string | undefined
  with?: string | undefined
  all?: 'true' | undefined
  /** Stock: what has left the plant. */
  place?: 'out' | undefined
  /** Figures: the window. */
  window?: 'count' | 'time' | undefined
  size?: string | undefined
}

/** A whole number from 1 on, as text. */
export function wholeText(value: unknown): string | undefined {
  const found = text(value)
  return found !== undefined && /^[1-9]\d{0,8}$/.test(found) ? found : undefined
}

/** A decimal above zero with at most 6 fractional digits, as the service takes it. */
export function quantityText(value: unknown): string | undefined {
  const found = text(value)
  if (found === undefined || !isDecimal(found)) return undefined
  return /^\d{1,12}(\.\d{1,6})?$/.test(found) && /[1-9]/.test(found) ? found : undefined
}

export function readPageSearch(search: Record<string, unknown>): PageSearch {
  return {
    qt: quantityText(search.qt),
    levels: wholeText(search.levels),
    view: oneOf(search.view, ['needs']),
    from: wholeText(search.from),
    to: wholeText(search.to),
    with: text(search.with),
    all: oneOf(search.all, ['true']),
    place: oneOf(search.place, ['out']),
    window: oneOf(search.window, ['count', 'time']),
    size: wholeText(search.size),
  }
}
