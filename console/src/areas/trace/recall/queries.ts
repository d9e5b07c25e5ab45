import { queryOptions } from '@tanstack/react-query'
import { api, bare, detail, everyRow, type FetchPage, pageOf, type Schemas } from '@/api'
import { daysBetween } from '@/ui/days'
import { recalled } from '../queries'
import type { RecalledUnit } from './groups'
import { keptList } from './lists'
import { bodyOf, hasDays, namesAnybody, type RecallBody, type Selection } from './selection'

/** How far a long search is. */
export interface Far {
  readonly what: 'suspects' | 'units'
  readonly count: number
}

export interface Recall {
  readonly units: readonly RecalledUnit[]
  /** What was asked, for the export. */
  readonly body: RecallBody
  readonly answered: string
}

/** The keys that a selection names, one by one or as a list. Undefined if this tab does not have the list. */
export function namedKeys(userKey: string, { serial = [], list }: Selection): string[] | undefined {
  if (list === undefined) return [...serial]
  const kept = keptList(userKey, list)
  return kept && [...serial, ...kept]
}

/** The units of days: the recall itself knows none, so the search for serials finds them. */
async function keysOfDays(selection: Selection, signal: AbortSignal, progress: (far: Far) => void): Promise<string[]> {
  const { from, to } = daysBetween(selection.from, selection.to)
  const released = selection.day === 'released'
  const days = released
    ? { time_released_from: from ?? null, time_released_to: to ?? null }
    : { time_created_from: from ?? null, time_created_to: to ?? null }
  const query = {
    ...days,
    product_key: selection.product === undefined ? [] : [selection.product],
    wo_key: selection.order === undefined ? [] : [selection.order],
    serial_search: selection.code ?? null,
  }
  const fetchPage: FetchPage<Schemas['SerialFound']> = (page) =>
    pageOf(
      page.offset,
      api.GET('/serial', {
        params: { query: { ...query, limit: page.limit, offset: page.offset, count: page.count } },
        signal: page.signal,
      }),
    )
  const rows = await everyRow(fetchPage, signal, (count) => progress({ what: 'suspects', count }))
  return rows.map((row) => row._key)
}

const PAGE = 10_000

async function allUnits(body: RecallBody, signal: AbortSignal, progress: (far: Far) => void): Promise<RecalledUnit[]> {
  const units: RecalledUnit[] = []
  for (let more = true; more; ) {
    const page = { ...body, limit: PAGE, offset: units.length }
    const rows = recalled(await bare(api.POST('/trace/recall', { body: page, signal })))
    units.push(...rows)
    more = rows.length === PAGE
    progress({ what: 'units', count: units.length })
  }
  return units
}

/** The affected units. The answer stays as it is until somebody asks again: a list that people work through must not change by itself. */
export function recallQuery(userKey: string, selection: Selection, progress: (far: Far) => void) {
  const { place: _, ...asked } = selection
  return queryOptions({
    queryKey: ['recall', userKey, asked],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<Recall> => {
      const named = namedKeys(userKey, selection) ?? []
      const ofDays = hasDays(selection) ? await keysOfDays(selection, signal, progress) : []
      const body = bodyOf(selection, [...named, ...ofDays])
      const units = namesAnybody(body) ? await allUnits(body, signal, progress) : []
      return { units, body, answered: new Date().toISOString() }
    },
  })
}

const CHUNK = 60

/** The codes of units by key. */
export function codesQuery(keys: readonly string[], allowed: boolean) {
  return queryOptions({
    queryKey: ['serial', 'codes', keys],
    enabled: allowed && keys.length > 0,
    staleTime: 5 * 60_000,
    queryFn: async ({ signal }) => {
      const codes = new Map<string, { code: string | null; product: string }>()
      for (let at = 0; at < keys.length; at += CHUNK) {
        const query = { serial_key: keys.slice(at, at + CHUNK), include_deleted: true, limit: CHUNK }
        const rows = await bare(api.GET('/serial', { params: { query }, signal }))
        for (const row of rows) codes.set(row._key, { code: row.code, product: row.product?.code ?? '' })
      }
      return codes
    },
  })
}

export interface Option {
  readonly value: string
  readonly label: string
}

/** A search for options by what was typed. */
export interface Finding {
  readonly queryKey: readonly [string, ...unknown[]]
  readonly queryFn: (context: { signal: AbortSignal }) => Promise<Option[]>
}

/** Products whose units are traced, by a part of their code or description. */
export function productsQuery(words: string): Finding {
  return {
    queryKey: ['product', 'pick', words],
    queryFn: async ({ signal }) => {
      const text = words.trim()
      const query = {
        traceability_only: true,
        active_only: false,
        search_description: true,
        limit: 30,
        ...(text === '' ? {} : { search_string: text }),
      }
      const rows = await bare(api.GET('/product', { params: { query }, signal }))
      return rows.map((row) => ({ value: row._key, label: `${row.code} ${row.description ?? ''}`.trim() }))
    },
  }
}

export function ordersQuery(words: string, product: string | undefined): Finding {
  return {
    queryKey: ['production', 'pick', words, product ?? ''],
    queryFn: async ({ signal }) => {
      const text = words.trim()
      const query = {
        limit: 30,
        ...(product === undefined ? {} : { product_key: product }),
        ...(text === '' ? {} : { search: text }),
      }
      const rows = await detail(api.GET('/work-order', { params: { query }, signal }))
      return rows.map((row) => ({ value: row._key, label: `${row.wo_code} ${row.product_code}` }))
    },
  }
}

export function productNameQuery(key: string | undefined, allowed: boolean) {
  return queryOptions({
    queryKey: ['product', 'name', key ?? ''],
    enabled: allowed && key !== undefined,
    staleTime: 5 * 60_000,
    queryFn: async ({ signal }) => {
      const product = await bare(
        api.GET('/product/{product_key}', { params: { path: { product_key: key ?? '' } }, signal }),
      )
      return product.code
    },
  })
}

export function orderNameQuery(key: string | undefined, allowed: boolean) {
  return queryOptions({
    queryKey: ['production', 'name', key ?? ''],
    enabled: allowed && key !== undefined,
    staleTime: 5 * 60_000,
    queryFn: async ({ signal }) => {
      const order = await detail(
        api.GET('/work-order/{work_order_key}', { params: { path: { work_order_key: key ?? '' } }, signal }),
      )
      return order.wo_code
    },
  })
}
