import { afterEach, describe, expect, it, vi } from 'vitest'
import { csvField, csvName, toCsv } from './csv'
import { compareCells } from './order'
import type { Column } from './types'
import { pagesOf, rowCount, walk } from './windows'

describe('CSV', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it('quotes what has to be quoted', () => {
    expect(csvField('a,b')).toBe('"a,b"')
    expect(csvField('a;=1+1')).toBe('"a;=1+1"')
    expect(csvField('say "no"')).toBe('"say ""no"""')
    expect(csvField('two\nlines')).toBe('"two\nlines"')
    expect(csvField(null)).toBe('')
    expect(csvField(true)).toBe('true')
  })

  it('keeps exact decimals and takes the sting out of formulas', () => {
    expect(csvField('999999999999.999999')).toBe('999999999999.999999')
    expect(csvField(-5)).toBe('-5')
    expect(csvField('=HYPERLINK(1)')).toBe("'=HYPERLINK(1)")
    expect(csvField('-A1')).toBe("'-A1")
    expect(csvField('\u200b=1')).toBe("'\u200b=1")
    expect(csvField('\t =A1')).toBe("'\t =A1")
    expect(csvField("'+x")).toBe("''+x")
    for (const text of ['＝1+1', '＋1', '－5', '＠SUM(A1)', '\t＝x']) expect(csvField(text)).toBe(`'${text}`)
    expect(csvField('1＝1')).toBe('1＝1')
    expect(csvField("'x")).toBe("'x")
  })

  it('writes heads and rows', () => {
    const columns: Column<{ code: string; qt: string }>[] = [
      { id: 'code', head: 'Code', text: (row) => row.code },
      { id: 'qt', head: 'Quantity, pcs', text: (row) => row.qt },
    ]
    expect(toCsv(columns, [{ code: 'A', qt: '0.1' }])).toBe('\ufeffCode,"Quantity, pcs"\r\nA,0.1\r\n')
    expect(csvName('Serials (all)', new Date('2026-11-17T10:00:00Z'))).toBe('Serials-all--2026-11-17.csv')
  })

  it('is called by the day of this place', () => {
    vi.stubEnv('TZ', 'America/New_York')
    expect(csvName('serials', new Date('2026-11-18T02:00:00Z'))).toBe('serials-2026-11-17.csv')
  })
})

describe('order', () => {
  it('compares decimals exactly and codes by their numbers', () => {
    expect(compareCells('999999999999.999998', '999999999999.999999', true, 'en')).toBeLessThan(0)
    expect(compareCells('10', '9', true, 'en')).toBeGreaterThan(0)
    expect(compareCells('P-10', 'P-9', false, 'en')).toBeGreaterThan(0)
    expect(compareCells(null, 'a', false, 'en')).toBeLessThan(0)
  })
})

describe('windows', () => {
  it('name the pages in view', () => {
    expect(pagesOf(0, 30, 100)).toEqual([0])
    expect(pagesOf(95, 130, 100)).toEqual([0, 1])
    expect(pagesOf(-3, 0, 100)).toEqual([0])
    expect(pagesOf(99_950, 99_999, 100)).toEqual([999])
  })

  it('count rows with and without a total', () => {
    expect(rowCount(100_000, () => undefined, 100)).toBe(100_000)
    expect(rowCount(null, () => undefined, 100)).toBe(0)
    expect(rowCount(null, (page) => [100, 100, 30][page], 100)).toBe(230)
    expect(rowCount(null, (page) => [100, 100][page], 100)).toBe(201)
  })

  it('walk by keys, and stop at the ends', () => {
    expect(walk('ArrowDown', 3, 10, 5)).toBe(4)
    expect(walk('ArrowUp', 0, 10, 5)).toBe(0)
    expect(walk('PageDown', 8, 10, 5)).toBe(9)
    expect(walk('End', 0, 10, 5)).toBe(9)
    expect(walk('ArrowDown', -1, 10, 5)).toBe(0)
    expect(walk('a', 0, 10, 5)).toBeUndefined()
    expect(walk('Home', 0, 0, 5)).toBeUndefined()
  })
})
