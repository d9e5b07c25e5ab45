import { describe, expect, it } from 'vitest'
import type { Formats, Text } from '@/i18n'
import { fieldText, fileNames, nextCode } from './field-value'

const t = ((key: string) => key) as Text
const formats = { decimal: (value: string | number) => `#${value}`, date: (value: string) => `@${value}` } as Formats

describe('fieldText', () => {
  it('says each kind in its words', () => {
    expect(fieldText(t, formats, 'number', '3.2500000000000001')).toBe('#3.2500000000000001')
    expect(fieldText(t, formats, 'ternary', false)).toBe('ui.no')
    expect(fieldText(t, formats, 'date', '2026-11-17')).toBe('@2026-11-17')
    expect(fieldText(t, formats, 'choice', { _key: 'a', value: 'Red' })).toBe('Red')
    expect(fieldText(t, formats, 'text', ['a', '', 'b'])).toBe('a, b')
  })

  it('is nothing for nothing', () => {
    expect(fieldText(t, formats, 'text', '')).toBeNull()
    expect(fieldText(t, formats, 'number', null)).toBeNull()
  })

  it('finds files', () => {
    expect(fileNames([{ name: 'a.pdf', size: 1 }, null])).toEqual(['a.pdf'])
  })
})

describe('nextCode', () => {
  it('fills digits, and leaves dates to the service', () => {
    expect(nextCode(['DU7-', '#5'], 31)).toBe('DU7-00031')
    expect(nextCode(['%y', '#6'], 1)).toBeNull()
  })
})
