/*
 * What the page reads. Everything that events of the unit can change has the tag `serial`, what moves it `inventory`, issues `issue`.
 */

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bare, detail, everyRow, pageOf } from '@/api'
import { timed } from '@/clock'
import type { UnitEvent } from './model/events'
import type { Movement } from './model/place'

/** Of an operation that also answers with a document or table, the JSON that was asked for. */
function asJson<Answer>(answer: Answer): Exclude<Answer, string> {
  if (typeof answer === 'string') throw new Error('the answer is no JSON')
  return answer as Exclude<Answer, string>
}

/** The unit with its product and the codes of its order, deleted or not. */
export function unitQuery(serialKey: string) {
  return queryOptions({
    queryKey: ['serial', 'unit', serialKey],
    queryFn: async ({ signal }) => {
      const query = { serial_key: [serialKey], include_deleted: true, limit: 1 }
      const [unit] = await bare(timed(() => api.GET('/serial', { params: { query }, signal })))
      if (unit !== undefined) return unit
      const serial = await bare(
        api.GET('/serial/{serial_key}', { params: { path: { serial_key: serialKey } }, signal }),
      )
      return { ...serial, product: null, grid_data: [], wo_code: null, project_code: null }
    },
  })
}

/** The outermost unit with everything in it, at a moment or now. */
export function treeQuery(serialKey: string, asOf: string | undefined) {
  return queryOptions({
    queryKey: ['serial', 'tree', serialKey, asOf ?? 'now'],
    queryFn: async ({ signal }) => {
      const query = { serial_key: serialKey, ...(asOf === undefined ? {} : { as_of: asOf }) }
      const [root] = await bare(api.GET('/serial-hierarchy', { params: { query }, signal }))
      return root ?? null
    },
    // While the time is drawn along, the tree of the moment before stays until the next one is there.
    placeholderData: (previous, before) => (before?.queryKey[2] === serialKey ? previous : undefined),
    ...(asOf === undefined ? {} : { staleTime: 300_000 }),
  })
}

/** Everything that happened to the unit. */
export function eventsQuery(serialKey: string) {
  return queryOptions({
    queryKey: ['serial', 'events', serialKey],
    queryFn: async ({ signal }): Promise<UnitEvent[]> =>
      everyRow(
        ({ limit, offset, count }) =>
          pageOf(
            offset,
            api.GET('/event', {
              params: {
                query: { serial_key: serialKey, sort_by: 'timestamp', sorting_order: 'desc', limit, offset, count },
              },
              signal,
            }),
          ),
        signal,
      ),
  })
}

/** The history record, without the records of the units inside. */
export function recordQuery(serialKey: string) {
  return queryOptions({
    queryKey: ['serial', 'record', serialKey],
    queryFn: async ({ signal }) => {
      const params = { path: { serial_key: serialKey }, query: { format: 'json' as const } }
      return asJson(await bare(api.GET('/serial/{serial_key}/dhr', { params, signal })))
    },
  })
}

/** The movements of the unit and of the one that contains it. */
export function movementsQuery(serialKeys: readonly string[]) {
  return queryOptions({
    queryKey: ['inventory', 'movements', ...serialKeys],
    queryFn: async ({ signal }): Promise<Movement[]> => {
      const query = { serial_keys: [...serialKeys], limit: 1000 }
      return asJson(await bare(api.GET('/movement', { params: { query }, signal })))
    },
    placeholderData: keepPreviousData,
  })
}

/** The positions outside the own warehouse: at customers and suppliers. */
export function outsideQuery() {
  return queryOptions({
    queryKey: ['inventory', 'outside'],
    queryFn: async ({ signal }) => {
      const query = { is_in_position: 'OUT', limit: 10_000 }
      const rows = await bare(api.GET('/position', { params: { query }, signal }))
      return new Set(rows.map(({ _key }) => _key))
    },
    staleTime: 600_000,
  })
}

/** What people are called, by their keys. */
export function peopleQuery() {
  return queryOptions({
    queryKey: ['people', 'names'],
    queryFn: async ({ signal }) => {
      const users = await detail(api.GET('/user', { params: { query: { active_only: false } }, signal }))
      return new Map(users.map(({ _key, name, surname }) => [_key, [name, surname].filter(Boolean).join(' ')]))
    },
    staleTime: 600_000,
  })
}

/** The codes of units that events speak of and that are not in the tree any more. */
export function codesQuery(serialKeys: readonly string[]) {
  return queryOptions({
    queryKey: ['serial', 'codes', ...serialKeys],
    queryFn: async ({ signal }) => {
      const query = { serial_key: [...serialKeys], include_deleted: true, limit: serialKeys.length }
      const rows = await bare(api.GET('/serial', { params: { query }, signal }))
      return new Map(rows.flatMap(({ _key, code }) => (code === null ? [] : [[_key, code] as const])))
    },
    enabled: serialKeys.length > 0,
    placeholderData: keepPreviousData,
    staleTime: 600_000,
  })
}

export function issuesQuery(issueKeys: readonly string[]) {
  return queryOptions({
    queryKey: ['issue', 'of-unit', ...issueKeys],
    queryFn: ({ signal }) =>
      bare(
        api.GET('/issue', {
          params: { query: { issue_key: [...issueKeys], limit: Math.max(1, issueKeys.length) } },
          signal,
        }),
      ),
    enabled: issueKeys.length > 0,
    placeholderData: keepPreviousData,
  })
}

export function filesQuery(serialKey: string) {
  return queryOptions({
    queryKey: ['serial', 'files', serialKey],
    queryFn: ({ signal }) =>
      bare(
        api.GET('/files', {
          params: { query: { bucket: 'serial', object_key: serialKey, recursive: true } },
          signal,
        }),
      ),
  })
}

export function configQuery() {
  return queryOptions({
    queryKey: ['config', 'all'],
    queryFn: ({ signal }) => detail(api.GET('/config', { signal })),
    staleTime: 600_000,
  })
}
