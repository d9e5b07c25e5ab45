import { describe, expect, it } from 'vitest'
import { inline, markdown } from './markdown'

describe('markdown', () => {
  it('reads paragraphs, headings and lists', () => {
    expect(markdown('# Prepare\nClean it.\nDry it.\n\n- one\n- two\n1. first').map(({ kind }) => kind)).toEqual([
      'heading',
      'paragraph',
      'list',
      'list',
    ])
  })

  it('keeps the lines of a paragraph apart, as people type them', () => {
    expect(markdown('a\nb')).toEqual([
      { kind: 'paragraph', lines: [[{ kind: 'text', text: 'a' }], [{ kind: 'text', text: 'b' }]] },
    ])
  })

  it('reads code as it is', () => {
    expect(markdown('```\na * b\n```')).toEqual([{ kind: 'code', text: 'a * b' }])
  })

  it('is nothing for nothing', () => {
    expect(markdown('')).toEqual([])
  })
})

describe('inline', () => {
  it('reads bold, italic, code and links', () => {
    expect(
      inline('Use **12 Nm**, *crosswise*, tool `T4`, see [sheet](https://example.com/a)').map(({ kind }) => kind),
    ).toEqual(['text', 'bold', 'text', 'italic', 'text', 'code', 'text', 'link'])
  })

  it('drops addresses that could run something', () => {
    expect(inline('[x](javascript:alert(1))')).toContainEqual({ kind: 'text', text: 'x' })
    expect(inline('[x](//elsewhere)')).toContainEqual({ kind: 'text', text: 'x' })
  })

  it('leaves plain text with signs alone', () => {
    expect(inline('3 * 4 = 12, part_no_7')).toEqual([{ kind: 'text', text: '3 * 4 = 12, part_no_7' }])
  })
})
