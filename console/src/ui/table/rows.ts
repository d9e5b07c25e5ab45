import { keepPreviousData, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import type { FetchPage, Page } from '@/api'
import { pagesOf, rowCount } from './windows'

export const PAGE = 100

export interface Remote<Row> {
  /** The first member is the tag of live updates; filters and sorting belong to the rest. */
  readonly queryKey: readonly [string, ...unknown[]]
  readonly fetchPage: FetchPage<Row>
}

function pageQuery<Row>(source: Remote<Row>, page: number) {
  return {
    queryKey: [...source.queryKey, 'page', page],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      source.fetchPage({ limit: PAGE, offset: page * PAGE, count: page === 0, signal }),
  }
}

/** The first page, which also says how many rows there are. Without a source there are none. */
export function useFirstPage<Row>(source: Remote<Row> | undefined) {
  const client = useQueryClient()
  const options =
    source === undefined
      ? { queryKey: ['no rows'], queryFn: (): Promise<Page<Row>> => Promise.reject(new Error('no source')) }
      : pageQuery(source, 0)
  const first = useQuery({ ...options, enabled: source !== undefined, placeholderData: keepPreviousData })
  const lengthOf = (page: number) =>
    page === 0 ? first.data?.rows.length : client.getQueryData<Page<Row>>(pageQueryKey(source, page))?.rows.length
  return { first, count: rowCount(first.data?.total ?? null, lengthOf, PAGE) }
}

function pageQueryKey<Row>(source: Remote<Row> | undefined, page: number): unknown[] {
  return [...(source?.queryKey ?? []), 'page', page]
}

/** The rows in view, by index; what is not loaded yet is absent, and asked for. `first` stands in while filters change. */
export function useWindow<Row>(source: Remote<Row> | undefined, from: number, to: number, first: readonly Row[]) {
  const wanted = source === undefined ? [] : pagesOf(from, to, PAGE)
  const results = useQueries({
    queries: source === undefined ? [] : wanted.map((page) => pageQuery(source, page)),
  })
  const failed = results.find(({ isError, data }) => isError && data === undefined)
  const rowAt = (index: number): Row | undefined => {
    const at = wanted.indexOf(Math.floor(index / PAGE))
    return results[at]?.data?.rows[index % PAGE] ?? first[index]
  }
  return { rowAt, failed }
}
