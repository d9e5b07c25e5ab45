import { describe, expect, it } from 'vitest'
import { everyRow, type FetchPage, nextOffset, type Page, pageOf, totalOf, totalRows } from './paging'

const page = (offset: number, rows: number, total: number | null = null): Page<number> => ({
  rows: Array.from({ length: rows }, (_, at) => offset + at),
  offset,
  total,
})

describe('paging', () => {
  it('goes on behind the last row until a page is short', () => {
    expect(nextOffset([page(0, 100)], 100)).toBe(100)
    expect(nextOffset([page(0, 100), page(100, 100)], 100)).toBe(200)
    expect(nextOffset([page(0, 100), page(100, 40)], 100)).toBeUndefined()
    expect(nextOffset([page(0, 0)], 100)).toBeUndefined()
    expect(nextOffset([], 100)).toBeUndefined()
  })

  it('asks for no page beyond the total', () => {
    expect(nextOffset([page(0, 100, 200), page(100, 100)], 100)).toBeUndefined()
    expect(nextOffset([page(0, 100, 201), page(100, 100)], 100)).toBe(200)
  })

  it('reads the total from the header of the page that asked', async () => {
    expect(totalOf(new Headers({ 'X-Total-Count': '12' }))).toBe(12)
    expect(totalOf(new Headers())).toBeNull()
    const response = new Response('[]', { headers: { 'X-Total-Count': '7' } })
    expect(await pageOf(0, Promise.resolve({ data: [1], response }))).toEqual({ rows: [1], offset: 0, total: 7 })
    expect(totalRows([page(0, 1, 9), page(1, 1)])).toBe(9)
  })

  it('reads every row for an export, and counts once', async () => {
    const asked: [number, boolean][] = []
    const fetchPage: FetchPage<number> = async ({ limit, offset, count }) => {
      asked.push([offset, count])
      return page(offset, Math.min(limit, 2500 - offset), count ? 2500 : null)
    }
    const progress: [number, number | null][] = []
    const rows = await everyRow(fetchPage, new AbortController().signal, (done, total) => progress.push([done, total]))
    expect(rows).toEqual(Array.from({ length: 2500 }, (_, at) => at))
    expect(asked).toEqual([
      [0, true],
      [1000, false],
      [2000, false],
    ])
    expect(progress.at(-1)).toEqual([2500, 2500])
  })
})
