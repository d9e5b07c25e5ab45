import { describe, expect, it } from 'vitest'
import { isRecent, type Recent, recentOf, withRecent } from './recent'

const thing = (key: string): Recent => ({ kind: 'serial', key, title: key.toUpperCase() })

describe('recent things', () => {
  it('are the newest first, each once, and not too many', () => {
    expect(withRecent([thing('a'), thing('b')], thing('b')).map(({ key }) => key)).toEqual(['b', 'a'])
    const many = Array.from({ length: 12 }, (_, at) => thing(`k${at}`))
    expect(withRecent(many, thing('new'))).toHaveLength(8)
  })

  it('are known by address and title', () => {
    expect(recentOf('/serial/k1', 'DU7-00010 · Tracewright', 'Serial')).toEqual({
      kind: 'serial',
      key: 'k1',
      title: 'DU7-00010',
    })
    expect(recentOf('/product/p%2F1/bom', 'DS-250 · Tracewright', undefined)?.key).toBe('p/1')
  })

  it('wait until the page knows what it shows', () => {
    expect(recentOf('/serial/k1', 'Serial · Tracewright', 'Serial')).toBeUndefined()
    expect(recentOf('/serial', 'Serials · Tracewright', undefined)).toBeUndefined()
    expect(recentOf('/plan', 'Plan · Tracewright', undefined)).toBeUndefined()
  })

  it('are read with care', () => {
    expect(isRecent(thing('a'))).toBe(true)
    expect(isRecent({ kind: 'user', key: 'a', title: 'A' })).toBe(false)
    expect(isRecent(null)).toBe(false)
  })
})
