import { describe, expect, it } from 'vitest'
import {
  add,
  compare,
  equals,
  format,
  isDecimal,
  isZero,
  multiply,
  parse,
  plain,
  ratio,
  separatorsOf,
  subtract,
} from './decimal'

const english = separatorsOf('en')
const italian = separatorsOf('it')

describe('exact decimals', () => {
  it('are written plainly, without exponents and zeros at the end', () => {
    expect(plain(0.000001)).toBe('0.000001')
    expect(plain(1e12)).toBe('1000000000000')
    expect(plain('1E-7')).toBe('0.0000001')
    expect(plain('007.50')).toBe('7.5')
    expect(plain('-0')).toBe('0')
    expect(plain('.5')).toBe('0.5')
    expect(plain('123456789012.123457')).toBe('123456789012.123457')
  })

  it('refuse what is no decimal', () => {
    for (const bad of ['', '.', 'abc', '1,5', 'NaN', '1e', '--1']) expect(() => plain(bad), bad).toThrow(RangeError)
    expect(isDecimal('')).toBe(false)
    expect(isDecimal(Number.NaN)).toBe(false)
    expect(isDecimal('1.5')).toBe(true)
    expect(isDecimal(null)).toBe(false)
  })

  it('add up where binary floats do not', () => {
    expect(add(0.1, 0.2)).toBe('0.3')
    expect(add('999999999999.999999', '0.000001')).toBe('1000000000000')
    expect(add()).toBe('0')
    expect(subtract('1', '0.000001')).toBe('0.999999')
    expect(multiply('1.1', '1.1')).toBe('1.21')
  })

  it('compare by value', () => {
    expect(compare('10', 9)).toBe(1)
    expect(compare('123456789012.123456', '123456789012.123457')).toBe(-1)
    expect(equals('1.50', 1.5)).toBe(true)
    expect(isZero('-0.000')).toBe(true)
    expect(isZero('0.000001')).toBe(false)
  })

  it('give a share for pictures', () => {
    expect(ratio(1, 4)).toBe(0.25)
    expect(ratio(5, 4)).toBe(1)
    expect(ratio(1, 0)).toBe(0)
  })
})

describe('decimals by language', () => {
  it('are grouped and pointed as the language does', () => {
    expect(format('1234567.5', english)).toBe('1,234,567.5')
    expect(format('-1234567.5', italian)).toBe('-1.234.567,5')
    expect(format(999, english)).toBe('999')
  })

  it('are read back as they were written', () => {
    for (const value of ['0', '-12.5', '1234567.000001', '999999999999.999999', '1000', '0.5']) {
      for (const separators of [english, italian]) expect(parse(format(value, separators), separators)).toBe(value)
    }
  })

  it('are read as people type them', () => {
    expect(parse('12.5', italian)).toBe('12.5')
    expect(parse('12,5', italian)).toBe('12.5')
    expect(parse('1.234.567', italian)).toBe('1234567')
    expect(parse('0.125', italian)).toBe('0.125')
    expect(parse(' 1 000 ', english)).toBe('1000')
    expect(parse('1,000', english)).toBe('1000')
    for (const bad of ['0,2', '2,5', '1,00', '1,0000', '12,34.5', '0,125', '1000,000']) {
      expect(parse(bad, english), bad).toBeNull()
    }
    expect(parse('12.', english)).toBe('12')
  })

  it('are not guessed', () => {
    for (const bad of ['', 'a', '1.2.3', '1,5,', '1.5,3.2', '-', '1e5']) expect(parse(bad, italian), bad).toBeNull()
    expect(parse('1.5,3', english)).toBeNull()
  })
})
