/*
 * What the home page reads. The head and the blocks ask for the same, so each is fetched once.
 */

import { queryOptions } from '@tanstack/react-query'
import { api, bare, detail, pageOf, pageOfDetail } from '@/api'

const FIRST = { offset: 0, count: true }

/** The open jobs of an operator, in the order of their queue. */
export function queueQuery(userKey: string) {
  return queryOptions({
    queryKey: ['production', 'home', 'queue', userKey],
    queryFn: ({ signal }) =>
      detail(api.GET('/queue/operator/{operator_key}', { params: { path: { operator_key: userKey } }, signal })),
    select: (queue) => queue.job_data,
  })
}

/** The tasks of a user that are open or suspended, the most urgent first. */
export function tasksQuery(userKey: string) {
  return queryOptions({
    queryKey: ['task', 'home', userKey],
    queryFn: ({ signal }) => {
      const query = { ...FIRST, assigned_to: [userKey], status_open: true, status_pending: true, limit: 50 }
      return pageOf(0, api.GET('/task', { params: { query }, signal }))
    },
  })
}

/** Open critical issues, the oldest first. */
export const issuesQuery = queryOptions({
  queryKey: ['issue', 'home'],
  queryFn: ({ signal }) => {
    const query = {
      ...FIRST,
      issue_open: true,
      issue_critical: true,
      sort_by: 'created' as const,
      sorting_order: 'asc' as const,
      limit: 100,
    }
    return pageOf(0, api.GET('/issue', { params: { query }, signal }))
  },
})

/** The orders that are not closed. */
export const ordersQuery = queryOptions({
  queryKey: ['production', 'home', 'orders'],
  queryFn: ({ signal }) => {
    const query = { ...FIRST, open: true, closed: false, limit: 500 }
    return pageOfDetail(0, api.GET('/work-order', { params: { query }, signal }))
  },
})

/** Counts between their start and the correction of stock. */
export const countsQuery = queryOptions({
  queryKey: ['inventory', 'home', 'counts'],
  queryFn: ({ signal }) => {
    const status: ('started' | 'completed' | 'processing')[] = ['started', 'completed', 'processing']
    return bare(api.GET('/inventory/count-session', { params: { query: { status, limit: 50 } }, signal }))
  },
})

/** What a user is still to count. */
export function countingQuery(userKey: string) {
  return queryOptions({
    queryKey: ['inventory', 'home', 'counting', userKey],
    queryFn: ({ signal }) =>
      bare(
        api.GET('/inventory/count-assignment', { params: { query: { assigned_to: userKey, limit: 1000 } }, signal }),
      ),
    select: (assignments) => assignments.filter(({ status }) => status === 'planned' || status === 'started'),
  })
}

/** Units that have left production, the last first: somebody may ask for their records any time. */
export function unitsQuery(limit: number) {
  return queryOptions({
    queryKey: ['serial', 'home', 'units', limit],
    staleTime: 300_000,
    queryFn: ({ signal }) => {
      const state: ('released' | 'in_stock' | 'used')[] = ['released', 'in_stock', 'used']
      const query = { ...FIRST, state, sort_by: 'released' as const, sorting_order: 'desc' as const, limit }
      return pageOf(0, api.GET('/serial', { params: { query }, signal }))
    },
  })
}
