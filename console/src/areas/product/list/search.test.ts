import { describe, expect, it } from 'vitest'
import { exportPath, isFiltered, listQuery, readListSearch, toggled } from './search'

describe('the filters of the list', () => {
  it('are read from the address', () => {
    expect(readListSearch({ q: '007', tag: 'a', traced: 'true', inactive: 'no', tags: 'any' })).toEqual({
      q: '007',
      tag: ['a'],
      tags: 'any',
      without: undefined,
      operation: undefined,
      traced: true,
      inactive: undefined,
    })
  })

  it('become the query: words anywhere, patterns for codes', () => {
    expect(listQuery({})).toEqual({ active_only: true })
    expect(listQuery({ q: ' motor ' })).toEqual({ active_only: true, include_text: 'motor' })
    expect(listQuery({ q: 'DU-*', inactive: true })).toEqual({ active_only: false, search_string: 'DU-*' })
    expect(listQuery({ tag: ['a', 'b'], tags: 'any', without: ['c'], traced: true, operation: 'o' })).toEqual({
      active_only: true,
      include_tags: ['a', 'b'],
      include_tags_operator: 'ANY',
      exclude_tags: ['c'],
      traceability_only: true,
      has_operation_key: 'o',
    })
  })

  it('go into the export too', () => {
    expect(exportPath({ q: 'a b', tag: ['x', 'y'] }, 'xlsx')).toBe(
      '/product/export?format=xlsx&active_only=true&include_text=a+b&include_tags=x&include_tags=y&include_tags_operator=ALL',
    )
  })

  it('know whether they narrow', () => {
    expect(isFiltered(readListSearch({}))).toBe(false)
    expect(isFiltered(readListSearch({ inactive: 'true' }))).toBe(false)
    expect(isFiltered(readListSearch({ tag: 'a' }))).toBe(true)
  })

  it('toggle', () => {
    expect(toggled(undefined, 'a')).toEqual(['a'])
    expect(toggled(['a', 'b'], 'a')).toEqual(['b'])
    expect(toggled(['a'], 'a')).toBeUndefined()
  })
})
