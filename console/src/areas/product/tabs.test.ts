import { describe, expect, it } from 'vitest'
import { isTab, productPage, quantityText, readPageSearch, wholeText } from './tabs'

describe('the address of a product page', () => {
  it('names the part', () => {
    expect(productPage('a/b')).toBe('/product/a%2Fb/data')
    expect(productPage('du-250', 'where-used')).toBe('/product/du-250/where-used')
    expect(isTab('bom')).toBe(true)
    expect(isTab('editor')).toBe(false)
  })

  it('takes quantities exactly, and nothing else', () => {
    expect(quantityText('2.50')).toBe('2.50')
    expect(quantityText('123456789012.123456')).toBe('123456789012.123456')
    for (const wrong of ['0', '0.0', '-1', '1e3', 'x', '0.1234567', '']) expect(quantityText(wrong)).toBeUndefined()
  })

  it('takes whole numbers from one on', () => {
    expect(wholeText('12')).toBe('12')
    for (const wrong of ['0', '01', '-3', '1.5', undefined]) expect(wholeText(wrong)).toBeUndefined()
  })

  it('drops what it does not know', () => {
    const read = readPageSearch({ qt: 'many', view: 'needs', window: 'week', place: 'out' })
    expect(read).toMatchObject({ qt: undefined, view: 'needs', window: undefined, place: 'out' })
  })
})
