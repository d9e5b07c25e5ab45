import { describe, expect, test } from 'vitest'
import { barsOf, symbolsOf, symbolWidths } from './code128'

describe('Code 128', () => {
  test('has 106 symbols of eleven modules with an even number of dark ones, and a stop of thirteen', () => {
    const widths = symbolWidths.map((pattern) => [...pattern].map(Number))
    const symbols = widths.slice(0, 106)
    expect(new Set(symbolWidths).size).toBe(107)
    for (const symbol of symbols) {
      expect(symbol).toHaveLength(6)
      expect(symbol.reduce((sum, width) => sum + width, 0)).toBe(11)
      expect(symbol.filter((_, at) => at % 2 === 0).reduce((sum, width) => sum + width, 0) % 2).toBe(0)
    }
    expect(widths[106]?.reduce((sum, width) => sum + width, 0)).toBe(13)
  })

  test('encodes text in set B with its check digit', () => {
    // The well-known example: PJJ123C has the check digit 54 in set A; in B the start differs by one.
    expect(symbolsOf('PJJ123C')).toEqual([104, 48, 42, 42, 17, 18, 19, 35, 55, 106])
  })

  test('packs digits in pairs', () => {
    expect(symbolsOf('1234')?.slice(0, 3)).toEqual([105, 12, 34])
    expect(symbolsOf('WO-0013')?.slice(0, 7)).toEqual([104, 55, 47, 13, 99, 0, 13])
    expect(symbolsOf('12345')?.slice(0, 5)).toEqual([105, 12, 34, 100, 21])
    expect(symbolsOf('A1234B')?.slice(0, 7)).toEqual([104, 33, 17, 18, 19, 20, 34])
  })

  test('leaves other characters alone', () => {
    expect(symbolsOf('Ä1')).toBeNull()
    expect(symbolsOf('')).toBeNull()
  })

  test('begins and ends with a bar', () => {
    const found = barsOf('WO-0013')
    const last = found?.bars.at(-1)
    expect(found?.bars[0]).toEqual({ x: 0, width: 2 })
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBe(found?.width)
  })
})
