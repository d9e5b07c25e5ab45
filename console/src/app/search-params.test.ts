import { expect, it } from 'vitest'
import { day, flag, oneOf, parseSearch, stringifySearch, text, texts } from './search-params'

it('keeps codes as they are', () => {
  expect(parseSearch('?q=007&long=12345678901234567890&e=1E5&t=true')).toEqual({
    q: '007',
    long: '12345678901234567890',
    e: '1E5',
    t: 'true',
  })
})

it('writes and reads the same', () => {
  const search = { q: 'a&b=c d+é', key: ['x', 'y'], gone: undefined, empty: '' }
  expect(parseSearch(stringifySearch(search))).toEqual({ q: 'a&b=c d+é', key: ['x', 'y'] })
  expect(stringifySearch({})).toBe('')
})

it('gives routes what they ask for, or nothing', () => {
  expect(text(['a', 'b'])).toBe('a')
  expect(text('')).toBeUndefined()
  expect(texts('a')).toEqual(['a'])
  expect(texts(undefined)).toBeUndefined()
  expect(oneOf('asc', ['asc', 'desc'])).toBe('asc')
  expect(oneOf('up', ['asc', 'desc'])).toBeUndefined()
  expect(day('2026-11-18')).toBe('2026-11-18')
  expect(day('2026-13-45')).toBeUndefined()
  expect(day('yesterday')).toBeUndefined()
  expect(flag('true')).toBe(true)
  expect(flag('no')).toBeUndefined()
})
