import { flag, oneOf, text } from '@/app/search-params'
import type { Side } from './web'

export const VIEWS = ['graph', 'tree', 'table'] as const
export type ViewName = (typeof VIEWS)[number]

export interface TraceSearch {
  /** The key of the unit to begin with. */
  readonly serial?: string | undefined
  /** What is looked for before there is one; in the table, what its rows hold. */
  readonly q?: string | undefined
  readonly as_of?: string | undefined
  readonly replaced?: true | undefined
  /** Only one side, where both are too many. */
  readonly side?: Side | undefined
  readonly view?: Exclude<ViewName, 'graph'> | undefined
  /** The unit whose facts are shown. */
  readonly at?: string | undefined
}

/** For `validateSearch`. */
export function traceSearch(search: Record<string, unknown>): TraceSearch {
  const moment = text(search.as_of)
  return {
    serial: text(search.serial),
    q: text(search.q),
    as_of: moment !== undefined && !Number.isNaN(Date.parse(moment)) ? moment : undefined,
    replaced: flag(search.replaced),
    side: oneOf(search.side, ['from', 'to']),
    view: oneOf(search.view, ['tree', 'table']),
    at: text(search.at),
  }
}

export function nextView(view: ViewName): ViewName {
  return VIEWS[(VIEWS.indexOf(view) + 1) % VIEWS.length] ?? 'graph'
}

/** The address of a trace. */
export function traceOf(serialKey: string): string {
  return `/trace?serial=${encodeURIComponent(serialKey)}`
}

const two = (count: number) => String(count).padStart(2, '0')

/** A moment as an input of the browser takes it: local time, to the minute. */
export function toInput(moment: string | undefined): string {
  const time = new Date(moment ?? Number.NaN)
  if (Number.isNaN(time.getTime())) return ''
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`
}

export function fromInput(value: string): string | undefined {
  const time = new Date(value)
  return value === '' || Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}
