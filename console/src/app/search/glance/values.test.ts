import { describe, expect, it } from 'vitest'
import { type Field, fieldWords } from './values'

const wording = {
  yes: 'Yes',
  no: 'No',
  formats: { decimal: (value: unknown) => `n${value}`, date: (value: unknown) => `d${value}` },
}

function words(field: Partial<Field>) {
  return fieldWords([{ label: 'Field', mandatory: false, ...field }], wording).map((one) => one.words)
}

describe('the values of a form', () => {
  it('are told in words, by their kind', () => {
    expect(words({ value: true })).toEqual(['Yes'])
    expect(words({ value: false })).toEqual(['No'])
    expect(words({ value: 0 })).toEqual(['n0'])
    expect(words({ value: '12.50', type: 'number' })).toEqual(['n12.50'])
    expect(words({ value: '2027-01-11' })).toEqual(['d2027-01-11'])
    expect(words({ value: '2027-01-11', type: 'text' })).toEqual(['2027-01-11'])
    expect(words({ value: 'HS-2307' })).toEqual(['HS-2307'])
  })

  it('name choices and files, and show no key', () => {
    expect(words({ value: { _key: 'defect-leak', value: 'Leak' }, type: 'choice' })).toEqual(['Leak'])
    expect(words({ value: [{ name: 'a.png' }, { name: 'b.png' }], type: 'files' })).toEqual(['a.png, b.png'])
    expect(words({ value: { _key: 'unnamed' }, type: 'choice', mandatory: true })).toEqual([])
  })

  it('tell what is mandatory and not filled in', () => {
    for (const value of [null, undefined, '', []]) {
      expect(words({ value, mandatory: true })).toEqual([null])
      expect(words({ value })).toEqual([])
    }
  })

  it('leave out what has no label, is hidden or only parts the form', () => {
    expect(words({ label: null, value: 'x' })).toEqual([])
    expect(words({ hidden: true, value: 'x' })).toEqual([])
    expect(words({ type: 'separator', mandatory: true })).toEqual([])
  })
})
