/** The pages that rows from `first` to `last` lie on. */
export function pagesOf(first: number, last: number, size: number): number[] {
  const from = Math.floor(Math.max(0, first) / size)
  const to = Math.floor(Math.max(0, last) / size)
  return Array.from({ length: to - from + 1 }, (_, at) => from + at)
}

/**
 * How many rows a list shows: as many as there are, if the server has counted them. Otherwise those that are known,
 * and one more while there may be further ones, which is fetched when it comes into view.
 */
export function rowCount(total: number | null, lengthOf: (page: number) => number | undefined, size: number): number {
  if (total !== null) return total
  let count = 0
  for (let page = 0; ; page += 1) {
    const length = lengthOf(page)
    if (length === undefined) return page === 0 ? 0 : count + 1
    count += length
    if (length < size) return count
  }
}

/** Where a key leads from a row, or undefined if it leads nowhere. */
export function walk(key: string, from: number, count: number, page: number): number | undefined {
  if (count === 0) return undefined
  const to = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + page,
    PageUp: from - page,
    Home: 0,
    End: count - 1,
  }
  const next = (to as Partial<Record<string, number>>)[key]
  return next === undefined ? undefined : Math.min(Math.max(next, 0), count - 1)
}
