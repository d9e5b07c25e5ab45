/*
 * The filters of the list of serials, as they stand in the address bar and as the service wants them.
 */

import type { Schemas } from '@/api'
import { day, flag, oneOf, text } from '@/app/search-params'
import type { Sort } from '@/ui/DataTable'
import { daysBetween } from '@/ui/days'

/** In the order of a unit's life. */
export const STATES = ['uncoded', 'wip', 'released', 'in_stock', 'used', 'scrapped', 'deleted'] as const
export type State = (typeof STATES)[number]

export const SORTS = ['code', 'product_code', 'wo_code', 'project_code', 'created', 'released'] as const
export type SortBy = (typeof SORTS)[number]

export interface ListSearch {
  code?: string
  state?: State
  product?: string
  order?: string
  project?: string
  /** The code of a unit inside. */
  contains?: string
  /** The code of a unit that contains it. */
  within?: string
  created_from?: string
  created_to?: string
  released_from?: string
  released_to?: string
  /** Also deleted ones. */
  deleted?: true
  sort?: SortBy
  /** `asc` or `desc`. */
  dir?: 'asc' | 'desc'
}

export function readListSearch(search: Record<string, unknown>): ListSearch {
  return {
    code: text(search.code),
    state: oneOf(search.state, STATES),
    product: text(search.product),
    order: text(search.order),
    project: text(search.project),
    contains: text(search.contains),
    within: text(search.within),
    created_from: day(search.created_from),
    created_to: day(search.created_to),
    released_from: day(search.released_from),
    released_to: day(search.released_to),
    deleted: flag(search.deleted),
    sort: oneOf(search.sort, SORTS),
    dir: oneOf(search.dir, ['asc', 'desc']),
  }
}

/** Begins with codes from A, with times from the newest. */
export function sortOf({ sort, dir }: ListSearch): Sort | undefined {
  if (sort === undefined) return undefined
  const usual = sort === 'created' || sort === 'released' ? 'desc' : 'asc'
  return { by: sort, descending: (dir ?? usual) === 'desc' }
}

export function sortSearch(sort: Sort | undefined): Pick<ListSearch, 'sort' | 'dir'> {
  if (sort === undefined) return { sort: undefined, dir: undefined }
  return { sort: oneOf(sort.by, SORTS), dir: sort.descending ? 'desc' : 'asc' }
}

interface ListQuery {
  serial_search?: string
  state?: Schemas['SerialState'][]
  product_code_search?: string
  work_order_search?: string
  project_search?: string
  contains?: string
  is_contained_in?: string
  time_created_from?: string
  time_created_to?: string
  time_released_from?: string
  time_released_to?: string
  include_deleted?: boolean
  sort_by: SortBy
  sorting_order: 'asc' | 'desc'
}

/** The query of `GET /serial`; the newest come first unless sorted otherwise. */
export function listQuery(search: ListSearch): ListQuery {
  const sort = sortOf(search) ?? { by: 'created', descending: true }
  const created = daysBetween(search.created_from, search.created_to)
  const released = daysBetween(search.released_from, search.released_to)
  return {
    serial_search: search.code,
    state: search.state && [search.state],
    product_code_search: search.product,
    work_order_search: search.order,
    project_search: search.project,
    contains: search.contains,
    is_contained_in: search.within,
    time_created_from: created.from,
    time_created_to: created.to,
    time_released_from: released.from,
    time_released_to: released.to,
    include_deleted: search.deleted,
    sort_by: oneOf(sort.by, SORTS) ?? 'created',
    sorting_order: sort.descending ? 'desc' : 'asc',
  }
}

/** Whether anything but the order of rows is set. */
export function isFiltered({ sort: _sort, dir: _dir, ...filters }: ListSearch): boolean {
  return Object.values(filters).some((value) => value !== undefined)
}
