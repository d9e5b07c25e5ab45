import { describe, expect, it } from 'vitest'
import { piecesOf, plainly } from './hidden-signs'

describe('hidden signs', () => {
  it('are found wherever they stand', () => {
    expect(piecesOf('DU7-\u202e42000')).toEqual(['DU7-', '\u202e', '42000'])
    expect(piecesOf('\u2066A\u2069')).toEqual(['', '\u2066', 'A', '\u2069', ''])
    expect(piecesOf('DU7-00024')).toEqual(['DU7-00024'])
  })

  it('have names in plain texts', () => {
    expect(plainly('DU7-\u202e42000')).toBe('DU7-[U+202E]42000')
    expect(plainly('A\u00adB\u200bC')).toBe('A[U+00AD]B[U+200B]C')
    expect(plainly('Größe 5')).toBe('Größe 5')
  })
})
