/*
 * Lists page by page: `limit` and `offset`, with the number of all rows in `X-Total-Count` if `count=true` asks for it.
 */

import { infiniteQueryOptions } from '@tanstack/react-query'

export const pageSize = 100

export interface PageRequest {
  limit: number
  offset: number
  /** Counting costs the service a second look, so only the first page asks for it. */
  count: boolean
  signal: AbortSignal
}

export interface Page<Row> {
  rows: Row[]
  offset: number
  /** Null where the page did not ask. */
  total: number | null
}

interface Answered<Data> {
  data?: Data
  response: Response
}

export function totalOf(headers: Headers): number | null {
  const text = headers.get('X-Total-Count')
  return text !== null && /^\d+$/.test(text) ? Number(text) : null
}

/** A page of a list that is a bare array. */
export async function pageOf<Row>(offset: number, request: Promise<Answered<Row[]>>): Promise<Page<Row>> {
  const { data, response } = await request
  return { rows: data ?? [], offset, total: totalOf(response.headers) }
}

/** A page of a list in an envelope. */
export async function pageOfDetail<Row>(
  offset: number,
  request: Promise<Answered<{ detail: Row[] }>>,
): Promise<Page<Row>> {
  const { data, response } = await request
  return { rows: data?.detail ?? [], offset, total: totalOf(response.headers) }
}

/** Where the next page begins; undefined behind the last one. */
export function nextOffset<Row>(pages: Page<Row>[], size = pageSize): number | undefined {
  const last = pages.at(-1)
  if (!last || last.rows.length < size) return undefined
  const next = last.offset + last.rows.length
  const total = totalRows(pages)
  return total !== null && next >= total ? undefined : next
}

export function totalRows<Row>(pages: Page<Row>[]): number | null {
  return pages.find((page) => page.total !== null)?.total ?? null
}

export function allRows<Row>(pages: Page<Row>[]): Row[] {
  return pages.flatMap((page) => page.rows)
}

export type FetchPage<Row> = (request: PageRequest) => Promise<Page<Row>>

/** Options for `useInfiniteQuery`: `data` has `rows` and `total`. The first member of the key is the tag of live updates. */
export function pages<Row>(queryKey: readonly [string, ...unknown[]], fetchPage: FetchPage<Row>, size = pageSize) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage({ limit: size, offset: pageParam, count: pageParam === 0, signal }),
    initialPageParam: 0,
    getNextPageParam: (_last: Page<Row>, all: Page<Row>[]) => nextOffset(all, size),
    select: (data) => ({ rows: allRows(data.pages), total: totalRows(data.pages), pages: data.pages.length }),
  })
}

/** Every row, in pages of 1,000, for exports. `progress` is told how many there are by now. */
export async function everyRow<Row>(
  fetchPage: FetchPage<Row>,
  signal: AbortSignal,
  progress?: (rows: number, total: number | null) => void,
): Promise<Row[]> {
  const size = 1000
  const fetched: Page<Row>[] = []
  for (let offset: number | undefined = 0; offset !== undefined; offset = nextOffset(fetched, size)) {
    fetched.push(await fetchPage({ limit: size, offset, count: offset === 0, signal }))
    progress?.(allRows(fetched).length, totalRows(fetched))
  }
  return allRows(fetched)
}
