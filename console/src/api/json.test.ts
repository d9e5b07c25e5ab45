import { describe, expect, it } from 'vitest'
import { parseExact, quoteLongNumbers } from './json'

describe('JSON read without loss', () => {
  it('keeps every digit of a long number', () => {
    expect(parseExact('{"qt": 123456789012.123457, "n": 5}')).toEqual({ qt: '123456789012.123457', n: 5 })
    expect(parseExact('[-999999999999.999999]')).toEqual(['-999999999999.999999'])
  })

  it('leaves numbers that a float shows as they are', () => {
    expect(parseExact('[0.000000000000000001, 123456789.123456, 1000000000000]')).toEqual([
      1e-18, 123456789.123456, 1e12,
    ])
  })

  it('leaves texts alone, whatever they look like', () => {
    const json = JSON.stringify({
      code: '12345678901234567890',
      odd: 'a "12345678901234567890, \\',
      'key 12345678901234567': 1,
    })
    expect(quoteLongNumbers(json)).toBe(json)
    expect(parseExact(`{"a\\"1": "x: 12345678901234567890", "b": 12345678901234567890}`)).toEqual({
      'a"1': 'x: 12345678901234567890',
      b: '12345678901234567890',
    })
  })

  it('gives back JSON without long numbers as it is', () => {
    const json = '{"at":"2026-03-02T06:00:00.000Z","n":1.5}'
    expect(quoteLongNumbers(json)).toBe(json)
  })
})
