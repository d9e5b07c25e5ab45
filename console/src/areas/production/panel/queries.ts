/*
 * What the panel reads. Everything is under the tag `production`, so the stream keeps it fresh.
 */

import { type FetchQueryOptions, type QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query'
import { api, bare, detail } from '@/api'
import { timed } from '@/clock'
import { reasonsIn } from './logic/scrap'

const tag = ['production', 'panel'] as const

/** What the service has now, for scans: notices of changes may be late, and do not tell of all. */
export async function readAfresh<T, K extends QueryKey>(
  client: QueryClient,
  query: FetchQueryOptions<T, Error, T, K>,
): Promise<T> {
  // What is under way may have been answered before.
  await client.cancelQueries({ queryKey: query.queryKey, exact: true })
  return client.fetchQuery({ ...query, staleTime: 0, retry: false })
}

export function queueQuery(userKey: string) {
  const params = { path: { operator_key: userKey } }
  return queryOptions({
    queryKey: [...tag, 'queue', userKey],
    queryFn: async ({ signal }) =>
      (await detail(timed(() => api.GET('/queue/operator/{operator_key}', { params, signal })))).job_data,
  })
}

export function unassignedQuery(userKey: string) {
  return queryOptions({
    queryKey: [...tag, 'unassigned'],
    queryFn: async ({ signal }) => {
      const params = { query: { user_key: userKey } }
      return (await detail(api.GET('/job-assignment', { params, signal }))).unassigned_jobs
    },
  })
}

export function jobQuery(jobKey: string) {
  const params = { path: { job_key: jobKey } }
  return queryOptions({
    queryKey: [...tag, 'job', jobKey],
    queryFn: ({ signal }) => detail(timed(() => api.GET('/job/{job_key}', { params, signal }))),
  })
}

export function orderQuery(orderKey: string) {
  const params = { path: { work_order_key: orderKey } }
  return queryOptions({
    queryKey: [...tag, 'order', orderKey],
    queryFn: ({ signal }) => detail(api.GET('/work-order/{work_order_key}', { params, signal })),
    enabled: orderKey !== '',
  })
}

export function batchQuery(batchKey: string | null) {
  const params = { path: { batch_key: batchKey ?? '' } }
  return queryOptions({
    queryKey: [...tag, 'batch', batchKey],
    queryFn: ({ signal }) => detail(api.GET('/batch/{batch_key}', { params, signal })),
    enabled: batchKey !== null,
  })
}

/** The units of a batch; empty where the order is not traced. */
export function unitsQuery(batchKey: string | null) {
  const params = { path: { batch_key: batchKey ?? '' } }
  return queryOptions({
    queryKey: [...tag, 'units', batchKey],
    queryFn: ({ signal }) => bare(api.GET('/batch/{batch_key}/serials', { params, signal })),
    enabled: batchKey !== null,
  })
}

export function sessionQuery(jobKey: string) {
  return queryOptions({
    queryKey: [...tag, 'session', jobKey],
    queryFn: ({ signal }) => detail(api.GET('/work-session', { params: { query: { job_key: jobKey } }, signal })),
  })
}

/** Units that wait in front of a later phase. */
export function waitingQuery(jobKey: string, enabled: boolean) {
  return queryOptions({
    queryKey: [...tag, 'waiting', jobKey],
    queryFn: ({ signal }) => bare(api.GET('/wip-serial', { params: { query: { job_key: jobKey } }, signal })),
    enabled,
  })
}

/** How much waits in front of a later phase, where units are not traced. */
export function wipQuery(jobKey: string, enabled: boolean) {
  return queryOptions({
    queryKey: [...tag, 'wip', jobKey],
    queryFn: ({ signal }) => bare(api.GET('/wip', { params: { query: { job_key: jobKey } }, signal })),
    enabled,
  })
}

/** How a job that stands still was paused. */
export function lastPauseQuery(jobKey: string, enabled: boolean) {
  return queryOptions({
    queryKey: [...tag, 'pause', jobKey],
    queryFn: async ({ signal }) => {
      const type = ['JOB_PAUSED', 'JOB_PAUSE_FORCED', 'JOB_PAUSED_OFFLINE']
      const query = { type, job_key: jobKey, sort_by: 'seq' as const, limit: 1 }
      return (await bare(api.GET('/event', { params: { query }, signal })))[0] ?? null
    },
    enabled,
  })
}

export function productQuery(productKey: string) {
  const params = { path: { product_key: productKey } }
  return queryOptions({
    queryKey: ['product', 'panel', productKey],
    queryFn: ({ signal }) => bare(api.GET('/product/{product_key}', { params, signal })),
    enabled: productKey !== '',
  })
}

/** What makes a job critical. */
export function criticalIssuesQuery(jobKey: string, enabled: boolean) {
  const query = { job_key: [jobKey], issue_open: true, issue_critical: true, limit: 10 }
  return queryOptions({
    queryKey: ['issue', 'job', jobKey],
    queryFn: ({ signal }) => bare(api.GET('/issue', { params: { query }, signal })),
    enabled,
  })
}

export const issueTypesQuery = queryOptions({
  queryKey: ['issue-type', 'active'],
  queryFn: ({ signal }) => bare(api.GET('/issue-type', { signal })),
  staleTime: 300_000,
})

/** Reasons for which this product was scrapped before, the newest first. */
export function reasonsQuery(productKey: string) {
  return queryOptions({
    queryKey: [...tag, 'reasons', productKey],
    queryFn: async ({ signal }) => {
      const query = { type: ['BATCH_COMPLETED', 'SERIAL_SCRAPPED'], product_key: productKey, limit: 200 }
      const found = await bare(api.GET('/event', { params: { query }, signal }))
      return found.flatMap(({ payload }) => {
        const told = payload as { scrap_reason?: unknown; reason?: unknown }
        const reason = told.scrap_reason ?? told.reason
        return typeof reason === 'string' ? reasonsIn(reason) : []
      })
    },
    staleTime: 300_000,
  })
}

export const configQuery = queryOptions({
  queryKey: ['config', 'panel'],
  queryFn: ({ signal }) => detail(api.GET('/config', { signal })),
  staleTime: 300_000,
})
