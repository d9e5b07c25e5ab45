import { describe, expect, it } from 'vitest'
import type { Text } from '@/i18n'
import { about, compareFacts, didWhat } from './data'

const t = ((key: string, values?: Record<string, string>) => (values ? `${key}:${Object.values(values)}` : key)) as Text

describe('compareFacts', () => {
  it('keeps what differs, also where one side has nothing', () => {
    const before = new Map([
      ['Unit', 'kg'],
      ['Weight', '3.25'],
      ['Notes', null],
    ])
    const after = new Map([
      ['Unit', 'kg'],
      ['Weight', '3.3'],
      ['Tags', 'Series 7'],
    ])
    expect(compareFacts(before, after)).toEqual([
      { label: 'Weight', before: '3.25', after: '3.3' },
      { label: 'Tags', before: null, after: 'Series 7' },
    ])
  })
})

describe('entries of the audit log', () => {
  it('say what was done', () => {
    expect(didWhat(t, { operation: 'update_product' })).toBe('product.versions.did.update_product')
    expect(didWhat(t, { operation: 'copy_process' })).toBe('product.versions.did.other:copy_process')
  })

  it('name the data or the file', () => {
    const patch = { operation: 'update_product', summary: { body: { unit: 'kg', colour: 1 } } }
    expect(about(t, patch)).toBe('product.data.unit, colour')
    expect(about(t, { operation: 'add_product_doc', summary: { parts: [{ name: 'a.pdf' }] } })).toBe('a.pdf')
    expect(about(t, { operation: 'update_product', summary: null })).toBe('')
  })
})
