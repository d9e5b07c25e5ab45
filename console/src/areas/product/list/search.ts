import type { paths } from '@/api/schema'
import { flag, oneOf, text, texts } from '@/app/search-params'

/** The filters of the list, as they stand in the address. */
export interface ListSearch {
  /** Words in the code or the description; with * or ? a pattern for the code. */
  q?: string | undefined
  tag?: string[] | undefined
  /** All of the tags (left out), or any of them. */
  tags?: 'any' | undefined
  without?: string[] | undefined
  operation?: string | undefined
  traced?: true | undefined
  inactive?: true | undefined
}

export function readListSearch(search: Record<string, unknown>): ListSearch {
  return {
    q: text(search.q),
    tag: texts(search.tag),
    tags: oneOf(search.tags, ['any']),
    without: texts(search.without),
    operation: text(search.operation),
    traced: flag(search.traced),
    inactive: flag(search.inactive),
  }
}

type Query = NonNullable<paths['/product']['get']['parameters']['query']>
export type ListQuery = Omit<Query, 'limit' | 'offset' | 'count' | 'details'>

/** What the service is asked for. A text with * or ? is a pattern for the code, any other one is looked for in code and description. */
export function listQuery(search: ListSearch): ListQuery {
  const query: ListQuery = { active_only: search.inactive !== true }
  const words = search.q?.trim()
  if (words && /[*?]/.test(words)) query.search_string = words
  else if (words) query.include_text = words
  if (search.tag) {
    query.include_tags = search.tag
    query.include_tags_operator = search.tags === 'any' ? 'ANY' : 'ALL'
  }
  if (search.without) query.exclude_tags = search.without
  if (search.operation) query.has_operation_key = search.operation
  if (search.traced) query.traceability_only = true
  return query
}

/** The address of the export, with the filters of the list. */
export function exportPath(search: ListSearch, format: 'csv' | 'xlsx'): string {
  const params = new URLSearchParams({ format })
  for (const [name, value] of Object.entries(listQuery(search))) {
    for (const one of Array.isArray(value) ? value : [value]) params.append(name, String(one))
  }
  return `/product/export?${params}`
}

/** Whether anything narrows the list. */
export function isFiltered(search: ListSearch): boolean {
  return Object.entries(search).some(([name, value]) => value !== undefined && name !== 'inactive')
}

/** Adds a tag to a list of tags, or takes it out; undefined instead of an empty list. */
export function toggled(list: readonly string[] | undefined, one: string): string[] | undefined {
  const next = list?.includes(one) ? list.filter((other) => other !== one) : [...(list ?? []), one]
  return next.length === 0 ? undefined : next
}
