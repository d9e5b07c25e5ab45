import { queryOptions } from '@tanstack/react-query'
import { api, bare, detail, type Schemas } from '@/api'
import { fullName } from '@/session'
import type { TraceSearch } from './explore/address'
import { type Shippable, withShipped } from './shipped'

export type FoundUnit = Shippable<Schemas['SerialFound']>

/** The service answers with a table where one is asked for; here nobody does. */
export function recalled(answer: Schemas['RecalledUnit'][] | string): Schemas['RecalledUnit'][] {
  return typeof answer === 'string' ? [] : answer
}

type Asked = Pick<TraceSearch, 'as_of' | 'replaced' | 'side'>

const DIRECTIONS = { from: 'down', to: 'up' } as const

/** A whole trace: what is open of it is decided here, so that chains of replaced parts are exact. */
export function traceQuery(serialKey: string, { as_of, replaced, side }: Asked) {
  return queryOptions({
    queryKey: ['serial', 'trace', serialKey, as_of ?? '', replaced ?? false, side ?? 'both'],
    queryFn: ({ signal }) => {
      const direction = side === undefined ? ('both' as const) : DIRECTIONS[side]
      const query = { direction, include_replaced: replaced ?? false, ...(as_of === undefined ? {} : { as_of }) }
      return bare(api.GET('/trace/serial/{serial_key}', { params: { path: { serial_key: serialKey }, query }, signal }))
    },
  })
}

/** Where a unit is today: the row of the outermost unit around it. Null if it was deleted, so that no recall knows it. */
export function placeQuery(serialKey: string) {
  return queryOptions({
    queryKey: ['serial', 'place', serialKey],
    queryFn: async ({ signal }) => {
      const query = { serial_key: [serialKey], limit: 1 }
      const rows = recalled(await bare(api.GET('/trace/recall', { params: { query }, signal })))
      return rows[0] ?? null
    },
    retry: false,
  })
}

/** A unit with its order, project and product. */
export function unitQuery(serialKey: string) {
  return queryOptions({
    queryKey: ['serial', 'unit', serialKey],
    queryFn: async ({ signal }) => {
      const query = { serial_key: [serialKey], include_deleted: true, limit: 1 }
      const rows = await bare(api.GET('/serial', { params: { query }, signal }))
      return rows[0] ?? null
    },
  })
}

/** Units by a part of their code; without one, those made last. */
export function unitsQuery(words: string) {
  const pattern = words.trim()
  return queryOptions({
    queryKey: ['serial', 'find', pattern],
    queryFn: async ({ signal }) => {
      const query =
        pattern === ''
          ? { limit: 12 }
          : { serial_search: pattern, sort_by: 'code' as const, sorting_order: 'asc' as const, limit: 50 }
      return withShipped(await bare(api.GET('/serial', { params: { query }, signal })), signal)
    },
  })
}

/** Live units that have exactly this code, of all products. */
export function unitsOfCode(code: string, signal?: AbortSignal): Promise<Schemas['Serial'][]> {
  return bare(api.GET('/serial-code', { params: { query: { serial_code: code } }, signal: signal ?? null }))
}

/** The names of people, where the user may know them. */
export function peopleQuery(allowed: boolean) {
  return queryOptions({
    queryKey: ['user', 'names'],
    enabled: allowed,
    staleTime: 10 * 60_000,
    queryFn: async ({ signal }) => {
      const people = await detail(api.GET('/user', { params: { query: { active_only: false } }, signal }))
      return new Map(people.map((person) => [person._key, fullName(person)]))
    },
  })
}
