import type { Schemas } from '@/api'
import type { PageSearch } from '../tabs'

export interface StatsWindow {
  readonly type: Schemas['StatsWindowType']
  readonly size?: number | undefined
}

/** The windows on offer besides the product's own: numbers of orders, days, all. */
export const WINDOWS: readonly StatsWindow[] = [
  { type: 'count', size: 5 },
  { type: 'count', size: 20 },
  { type: 'count', size: 100 },
  { type: 'time', size: 7 },
  { type: 'time', size: 30 },
  { type: 'time', size: 90 },
  { type: 'time', size: 365 },
  { type: 'count' },
]

/** The window that the address asks for; undefined: the product's own. */
export function windowOf(search: Pick<PageSearch, 'window' | 'size'>): StatsWindow | undefined {
  if (search.window === undefined) return undefined
  return { type: search.window, size: search.size === undefined ? undefined : Number(search.size) }
}

/** A window as the value of a choice. */
export function windowName(window: StatsWindow | undefined): string {
  return window === undefined ? 'own' : `${window.type}-${window.size ?? 'all'}`
}

export function searchOf(window: StatsWindow | undefined): Pick<PageSearch, 'window' | 'size'> {
  return { window: window?.type, size: window?.size === undefined ? undefined : String(window.size) }
}

/** All windows to choose from, with one that came by a link. */
export function choices(current: StatsWindow | undefined): (StatsWindow | undefined)[] {
  const known = [undefined, ...WINDOWS]
  const listed = known.some((one) => windowName(one) === windowName(current))
  return listed ? known : [...known, current]
}
