import { describe, expect, it } from 'vitest'
import { linesOf, opening } from './long-text'

describe('the opening of a text', () => {
  it('ends after a word', () => {
    expect(opening('Grease the gears sparingly', 18)).toBe('Grease the gears')
  })

  it('is cut where there is no word to end', () => {
    expect(opening('x'.repeat(100), 10)).toBe('x'.repeat(10))
    expect(opening('x'.repeat(9) + '😀'.repeat(9), 10)).toBe('x'.repeat(9))
  })

  it('is nothing of its own for a short text', () => {
    expect(opening('Grease', 6)).toBeNull()
  })
})

describe('the lines of a text', () => {
  it('are those that people made', () => {
    expect(linesOf('a\r\n\nb')).toEqual(['a', '', 'b'])
  })

  it('are never too long to lay out, and lose nothing', () => {
    const text = '[a]('.repeat(25_000)
    const lines = linesOf(text)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(2_000)
    expect(lines.join('')).toBe(text)
  })
})
