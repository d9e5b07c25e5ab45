import { describe, expect, it } from 'vitest'
import { anywhere, meaningOf, stemOf } from './meaning'

describe('what was typed', () => {
  it('is words', () => {
    expect(meaningOf(' drive unit ')).toEqual({ text: 'drive unit', parts: [] })
  })

  it('is cut where the service takes no more, between characters', () => {
    expect(meaningOf('🔩'.repeat(300)).text).toBe('🔩'.repeat(256))
    expect(meaningOf(`${'a'.repeat(255)} b`).text).toBe('a'.repeat(255))
  })

  it('is a GS1 code, of which the serial counts', () => {
    const { text, parts } = meaningOf('(01)09506000134352(10)L7(21)A-17')
    expect(text).toBe('A-17')
    expect(parts.map(({ ai }) => ai)).toEqual(['01', '10', '21'])
  })
})

describe('the beginning of a code', () => {
  it('ends before its last part', () => {
    expect(stemOf('DU7-00999')).toBe('DU7')
    expect(stemOf('WO-2026-17')).toBe('WO-2026')
  })

  it('is the larger half of a code without parts', () => {
    expect(stemOf('ABCDE12345')).toBe('ABCDE1')
    expect(stemOf('X')).toBeUndefined()
  })
})

it('searches anywhere unless wildcards were typed', () => {
  expect(anywhere('A-1')).toBe('*A-1*')
  expect(anywhere('A-*')).toBe('A-*')
})
