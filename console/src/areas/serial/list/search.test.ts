import { afterEach, describe, expect, it, vi } from 'vitest'
import { parseSearch, stringifySearch } from '@/app/search-params'
import { isFiltered, type ListSearch, listQuery, readListSearch, sortOf, sortSearch } from './search'

const read = (query: string) => readListSearch(parseSearch(query))

describe('the address of the list', () => {
  it('says the same after a reload', () => {
    const search: ListSearch = {
      code: '007',
      state: 'wip',
      contains: 'PM4-*',
      created_from: '2026-11-01',
      sort: 'code',
      dir: 'desc',
    }
    expect(read(stringifySearch({ ...search }))).toMatchObject(search)
  })

  it('drops what it does not know', () => {
    expect(isFiltered(read('?state=lost&created_from=yesterday&other=1&deleted=no'))).toBe(false)
    expect(read('?sort=age').sort).toBeUndefined()
  })
})

describe('the sorting', () => {
  it('begins with A for codes and with the newest for times', () => {
    expect(sortOf({ sort: 'code' })).toEqual({ by: 'code', descending: false })
    expect(sortOf({ sort: 'released' })).toEqual({ by: 'released', descending: true })
    expect(sortOf({})).toBeUndefined()
  })

  it('goes into the address and out again', () => {
    expect(sortSearch({ by: 'wo_code', descending: true })).toEqual({ sort: 'wo_code', dir: 'desc' })
    expect(sortSearch(undefined)).toEqual({ sort: undefined, dir: undefined })
  })
})

describe('the query', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it('asks for days as they are here', () => {
    vi.stubEnv('TZ', 'America/New_York')
    const days = { created_from: '2026-11-18', created_to: '2026-11-18', released_from: '2026-11-17' }
    expect(listQuery(days)).toMatchObject({
      time_created_from: '2026-11-18T05:00:00.000Z',
      time_created_to: '2026-11-19T04:59:59.999Z',
      time_released_from: '2026-11-17T05:00:00.000Z',
      time_released_to: undefined,
    })
  })

  it('asks for the newest first', () => {
    expect(listQuery({})).toMatchObject({ sort_by: 'created', sorting_order: 'desc' })
  })

  it('names the filters as the service does', () => {
    expect(listQuery({ code: 'DU', state: 'used', within: 'DS*', order: 'WO-1', deleted: true })).toMatchObject({
      serial_search: 'DU',
      state: ['used'],
      is_contained_in: 'DS*',
      work_order_search: 'WO-1',
      include_deleted: true,
    })
  })
})

it('knows whether anything is filtered', () => {
  expect(isFiltered({ sort: 'code', dir: 'asc' })).toBe(false)
  expect(isFiltered({ product: 'DU' })).toBe(true)
})
