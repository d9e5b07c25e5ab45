import { queryOptions } from '@tanstack/react-query'
import { api, bare, detail, type PageRequest, pageOf, pageOfDetail } from '@/api'
import { FEW } from '@/scan/finders'
import { sameCode, startsWith } from '@/scan/resolve'
import type { Order } from './orders'

export const SITE = '0'

/** The open orders in the sequence of the site. */
export const queueQuery = queryOptions({
  queryKey: ['production', 'queue'],
  queryFn: ({ signal }) =>
    detail(api.GET('/queue/site/{site_key}', { params: { path: { site_key: SITE } }, signal })) as Promise<Order[]>,
})

export function orderQuery(key: string) {
  return queryOptions({
    queryKey: ['production', 'order', key],
    queryFn: ({ signal }) =>
      detail(api.GET('/work-order/{work_order_key}', { params: { path: { work_order_key: key } }, signal })),
  })
}

/** What waits in front of a job's phase and behind it. */
export function wipQuery(jobKey: string) {
  return queryOptions({
    queryKey: ['production', 'wip', jobKey],
    queryFn: ({ signal }) => bare(api.GET('/wip', { params: { query: { job_key: jobKey } }, signal })),
  })
}

export const configQuery = queryOptions({
  queryKey: ['config', 'entries'],
  queryFn: ({ signal }) => detail(api.GET('/config', { signal })),
  staleTime: 300_000,
})

/** Everybody, to name people by their keys and to give jobs to operators. */
export const peopleQuery = queryOptions({
  queryKey: ['user', 'people'],
  queryFn: ({ signal }) => detail(api.GET('/user', { params: { query: { active_only: false } }, signal })),
  staleTime: 300_000,
})

export function positionQuery(key: string) {
  return queryOptions({
    queryKey: ['position', 'record', key],
    queryFn: ({ signal }) =>
      bare(api.GET('/position/{position_key}', { params: { path: { position_key: key } }, signal })),
    staleTime: 300_000,
  })
}

export function issuesQuery(orderKey: string) {
  return queryOptions({
    queryKey: ['issue', 'order', orderKey],
    queryFn: ({ signal }) =>
      bare(api.GET('/issue', { params: { query: { work_order_key: [orderKey], limit: 100 } }, signal })),
  })
}

/** The product of a scanned code, if there is one. */
export async function productByCode(code: string): Promise<string | undefined> {
  const query = { search_string: startsWith(code), limit: FEW }
  const { data } = await api.GET('/product', { params: { query } })
  return data?.find((product) => sameCode(product.code, code))?._key
}

export function productQuery(key: string) {
  return queryOptions({
    queryKey: ['product', key],
    queryFn: ({ signal }) =>
      bare(api.GET('/product/{product_key}', { params: { path: { product_key: key } }, signal })),
  })
}

export function positionsQuery(typed: string) {
  return queryOptions({
    queryKey: ['position', 'search', typed],
    queryFn: ({ signal }) =>
      bare(
        api.GET('/position', { params: { query: { search: typed ? `*${typed}*` : undefined, limit: 20 } }, signal }),
      ),
  })
}

/** The batches of an order, newest first: the journal knows them. */
export function batchKeysQuery(orderKey: string, limit: number) {
  return queryOptions({
    queryKey: ['production', 'batches', orderKey, limit],
    queryFn: async ({ signal }) => {
      const query = { type: ['BATCH_CREATED'], work_order_key: orderKey, sort_by: 'seq' as const, limit, count: true }
      const { rows, total } = await pageOf(0, api.GET('/event', { params: { query }, signal }))
      return { keys: rows.flatMap(({ batch_key }) => (batch_key ? [batch_key] : [])), total: total ?? rows.length }
    },
  })
}

/** A batch that is over changes only by a correction, which the page hears of. */
export function batchQuery(key: string) {
  return queryOptions({
    queryKey: ['batch', key],
    queryFn: ({ signal }) => detail(api.GET('/batch/{batch_key}', { params: { path: { batch_key: key } }, signal })),
    staleTime: ({ state }) => (state.data?.active === false ? Number.POSITIVE_INFINITY : 30_000),
  })
}

/** The rows of what was entered at the steps of an order. */
export function tracedRows(orderKey: string) {
  return {
    queryKey: ['production', 'traced', orderKey] as const,
    fetchPage: ({ limit, offset, count, signal }: PageRequest) =>
      pageOfDetail(
        offset,
        api.GET('/work-order/{work_order_key}/traceability', {
          params: { path: { work_order_key: orderKey }, query: { limit, offset, count } },
          signal,
        }),
      ),
  }
}
