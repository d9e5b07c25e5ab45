import { describe, expect, it } from 'vitest'
import { along, percent, rounded } from './exact'

describe('rounded', () => {
  it('leaves short decimals alone', () => {
    expect(rounded('0.42', 6)).toBe('0.42')
    expect(rounded(12, 6)).toBe('12')
  })

  it('rounds halves to even', () => {
    expect(rounded('0.1234565', 6)).toBe('0.123456')
    expect(rounded('0.1234575', 6)).toBe('0.123458')
    expect(rounded('0.12345650000001', 6)).toBe('0.123457')
    expect(rounded('-2.5', 0)).toBe('-2')
    expect(rounded('9.9999999', 6)).toBe('10')
  })
})

describe('along', () => {
  it('keeps what binary floats would lose', () => {
    expect(along('0.1', '3')).toBe('0.3')
    expect(along(along('1.1', '1.1'), '1.1')).toBe('1.331')
    expect(along('0.000001', '0.000001')).toBe('0.000000000001')
  })
})

describe('percent', () => {
  it('cuts, and never rounds up to all', () => {
    expect(percent(0.958333)).toBe('95.8')
    expect(percent('0.999999')).toBe('99.9')
    expect(percent(1)).toBe('100')
    expect(percent(0)).toBe('0')
  })
})
