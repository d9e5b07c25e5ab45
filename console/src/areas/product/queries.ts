import { queryOptions } from '@tanstack/react-query'
import { api, bare, detail, type FetchPage, pageOf, pageOfDetail, type Schemas } from '@/api'
import type { Decimal } from '@/api/decimal'
import { type Shippable, withShipped } from '@/areas/trace/shipped'
import type { ListQuery } from './list/search'

export type Product = Schemas['ProductDetail']
export type FullProduct = Schemas['ProductFull']
export type Phase = Schemas['PhaseData']
export type Step = Schemas['Step']
export type FormField = Schemas['FormField']
export type BomLine = Schemas['BomLineRead']
export type BomVersion = Schemas['BomVersion']
export type Explosion = Schemas['Explosion']
export type Parent = Schemas['WhereUsed']
export type Stats = Schemas['ProductStats']
export type Order = Schemas['WorkOrderRead']
export type Serial = Schemas['SerialFound']
export type StockRow = Schemas['StockRow']
export type Tag = Schemas['Tag']
export type TraceLevel = Schemas['TraceabilityLevel'] | null
export type AuditEntry = Schemas['Audit']

const inPath = (product_key: string) => ({ path: { product_key } })

/** A page of the list. The service answers the detailed form if `details` asks for it. */
export function fetchProducts(query: ListQuery): FetchPage<Product> {
  return ({ limit, offset, count, signal }) => {
    const params = { query: { ...query, details: true, limit, offset, count } }
    return pageOf(offset, api.GET('/product', { params, signal })).then((page) => ({
      ...page,
      rows: page.rows.filter((row): row is Product => 'bom_version' in row),
    }))
  }
}

export const productQuery = (key: string) =>
  queryOptions({
    queryKey: ['product', key],
    queryFn: ({ signal }) => bare(api.GET('/product/{product_key}', { params: inPath(key), signal })),
  })

export const processQuery = (key: string) =>
  queryOptions({
    queryKey: ['product', key, 'process'],
    queryFn: ({ signal }) => bare(api.GET('/product/{product_key}/process', { params: inPath(key), signal })),
  })

/** The bill of materials; a version of it never changes. */
export const bomQuery = (key: string, version?: number) =>
  queryOptions({
    queryKey: ['product', key, 'bom', version ?? 'now'],
    queryFn: ({ signal }) => {
      const params = { path: { product_key_or_code: key }, query: version === undefined ? {} : { version } }
      return bare(api.GET('/product/{product_key_or_code}/bom', { params, signal }))
    },
    staleTime: version === undefined ? 30_000 : Number.POSITIVE_INFINITY,
  })

export const versionsQuery = (key: string) =>
  queryOptions({
    queryKey: ['product', key, 'versions'],
    queryFn: ({ signal }) => bare(api.GET('/product/{product_key}/bom/versions', { params: inPath(key), signal })),
  })

export const explosionQuery = (key: string, qt: Decimal, levels: number | undefined) =>
  queryOptions({
    queryKey: ['product', key, 'explosion', String(qt), levels ?? 'all'],
    queryFn: ({ signal }) => {
      const params = { ...inPath(key), query: { qt, ...(levels === undefined ? {} : { levels }) } }
      return bare(api.GET('/product/{product_key}/bom/explode', { params, signal }))
    },
  })

export function fetchParents(key: string): FetchPage<Parent> {
  return ({ limit, offset, count, signal }) =>
    pageOf(
      offset,
      api.GET('/product/{product_key}/where-used', {
        params: { ...inPath(key), query: { limit, offset, count } },
        signal,
      }),
    )
}

/** Where a product is used, one row and how many there are. */
export const parentsQuery = (key: string) =>
  queryOptions({
    queryKey: ['product', key, 'parents'],
    queryFn: ({ signal }) => fetchParents(key)({ limit: 1, offset: 0, count: true, signal }),
  })

export const statsQuery = (key: string, window?: { type: Schemas['StatsWindowType']; size?: number | undefined }) =>
  queryOptions({
    queryKey: ['production', 'product-stats', key, window?.type ?? 'own', window?.size ?? 'all'],
    queryFn: ({ signal }) => {
      const query =
        window === undefined
          ? {}
          : { window_type: window.type, ...(window.size === undefined ? {} : { window_size: window.size }) }
      return bare(api.GET('/product/{product_key}/stats', { params: { ...inPath(key), query }, signal }))
    },
  })

/** How much of a product lies under a position, in all. */
export const stockQuery = (key: string, root: string) =>
  queryOptions({
    queryKey: ['inventory', 'product-stock', key, root],
    queryFn: async ({ signal }) => {
      const query = { product_key: key, root_position_key: root, group_by: 'product' as const }
      const rows = await bare(api.GET('/inventory', { params: { query }, signal }))
      const found = Array.isArray(rows) ? rows[0] : undefined
      return found !== undefined && 'minimum_stock_qt' in found ? found : null
    },
  })

export function fetchStock(key: string, root: string): FetchPage<StockRow> {
  return async ({ limit, offset, count, signal }) => {
    const query = { product_key: key, root_position_key: root, limit, offset, count }
    const { data, response } = await api.GET('/inventory', { params: { query }, signal })
    const rows = Array.isArray(data) ? data.filter((row): row is StockRow => 'serial_key' in row) : []
    return pageOf(offset, Promise.resolve({ data: rows, response }))
  }
}

/** The newest first, with those that have left if that is asked for. */
export function fetchSerials(key: string, withLeft: boolean): FetchPage<Shippable<Serial>> {
  return async ({ limit, offset, count, signal }) => {
    const query = {
      product_key: [key],
      sort_by: 'created' as const,
      sorting_order: 'desc' as const,
      limit,
      offset,
      count,
    }
    const page = await pageOf(offset, api.GET('/serial', { params: { query }, signal }))
    return withLeft ? { ...page, rows: await withShipped(page.rows, signal) } : page
  }
}

/** How many units of a product are in a state. */
export const serialCountQuery = (key: string, state: Schemas['SerialState']) =>
  queryOptions({
    queryKey: ['serial', 'product-count', key, state],
    queryFn: async ({ signal }) => {
      const query = { product_key: [key], state: [state], limit: 1, count: true }
      const page = await pageOf(0, api.GET('/serial', { params: { query }, signal }))
      return page.total ?? page.rows.length
    },
  })

/** Orders of a product, newest first: they keep the process as it was copied. */
export const ordersQuery = (key: string) =>
  queryOptions({
    queryKey: ['production', 'product-orders', key],
    queryFn: async ({ signal }) => {
      const query = { product_key: key, open: true, closed: true, limit: 200 }
      return (await pageOfDetail(0, api.GET('/work-order', { params: { query }, signal }))).rows
    },
  })

/** What was changed about a product between two moments, oldest first. */
export const changesQuery = (key: string, from: string, to: string) =>
  queryOptions({
    queryKey: ['product', key, 'changes', from, to],
    queryFn: async ({ signal }) => {
      const query = {
        target: [`Product/${key}`],
        outcome: ['ok' as const],
        time_from: from,
        time_to: to,
        limit: 200,
      }
      return (await bare(api.GET('/audit', { params: { query }, signal }))).reverse()
    },
  })

export const tagsQuery = queryOptions({
  queryKey: ['tag'],
  queryFn: ({ signal }) => detail(api.GET('/tag', { signal })),
  staleTime: 300_000,
})

export const operationsQuery = queryOptions({
  queryKey: ['operation'],
  queryFn: ({ signal }) => bare(api.GET('/operation', { signal })),
  staleTime: 300_000,
})

export const fieldsQuery = queryOptions({
  queryKey: ['field'],
  queryFn: ({ signal }) => bare(api.GET('/field', { signal })),
  staleTime: 300_000,
})

export const peopleQuery = queryOptions({
  queryKey: ['user', 'all'],
  queryFn: ({ signal }) => detail(api.GET('/user', { params: { query: { active_only: false } }, signal })),
  staleTime: 300_000,
})

/** Positions by their keys, for their codes. */
export const positionsQuery = (keys: readonly string[]) =>
  queryOptions({
    queryKey: ['position', ...keys],
    queryFn: ({ signal }) => bare(api.GET('/position', { params: { query: { position_keys: [...keys] } }, signal })),
    enabled: keys.length > 0,
    staleTime: 300_000,
  })

/** Phases by their keys, for their names; also those of other products and removed ones. */
export const phasesQuery = (keys: readonly string[]) =>
  queryOptions({
    queryKey: ['product', 'phases', ...keys],
    queryFn: ({ signal }) => bare(api.GET('/phase', { params: { query: { phase_key: [...keys] } }, signal })),
    enabled: keys.length > 0,
    staleTime: 300_000,
  })
