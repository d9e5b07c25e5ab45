import { afterEach, describe, expect, it, vi } from 'vitest'
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

  it('reads the items of a list, with or without numbers', () => {
    expect(markdown('- a\n- **b**\n\n1. x\n2) y')).toEqual([
      { kind: 'list', ordered: false, items: [[{ kind: 'text', text: 'a' }], [{ kind: 'bold', text: 'b' }]] },
      { kind: 'list', ordered: true, items: [[{ kind: 'text', text: 'x' }], [{ kind: 'text', text: 'y' }]] },
    ])
  })

  it('ends a list where a line is no item', () => {
    expect(markdown('- a\nnot an item').map(({ kind }) => kind)).toEqual(['list', 'paragraph'])
  })

  it('takes HTML for text', () => {
    expect(markdown('<img src=x onerror=alert(1)>')).toEqual([
      { kind: 'paragraph', lines: [[{ kind: 'text', text: '<img src=x onerror=alert(1)>' }]] },
    ])
  })

  it('is nothing for nothing', () => {
    expect(markdown('')).toEqual([])
    expect(markdown('  \r\n ')).toEqual([])
  })
})

describe('inline', () => {
  it('reads bold, italic, code and links', () => {
    expect(
      inline('Use **12 Nm**, *crosswise*, tool `T4`, see [sheet](https://example.com/a)').map(({ kind }) => kind),
    ).toEqual(['text', 'bold', 'text', 'italic', 'text', 'code', 'text', 'link'])
  })

  it('marks what matters, and nothing around it', () => {
    expect(inline('With the guide. **Magnets: keep tools away.**')).toEqual([
      { kind: 'text', text: 'With the guide. ' },
      { kind: 'bold', text: 'Magnets: keep tools away.' },
    ])
    expect(inline('__now__')).toEqual([{ kind: 'bold', text: 'now' }])
  })

  it('drops addresses that could run something', () => {
    expect(inline('[x](javascript:alert(1))')).toContainEqual({ kind: 'text', text: 'x' })
    expect(inline('[x](//elsewhere)')).toContainEqual({ kind: 'text', text: 'x' })
    expect(inline('[x](/\\elsewhere)')).toContainEqual({ kind: 'text', text: 'x' })
  })

  it('leaves plain text with signs alone', () => {
    expect(inline('3 * 4 = 12, part_no_7')).toEqual([{ kind: 'text', text: '3 * 4 = 12, part_no_7' }])
  })

  it('tells what is no link from what is one', () => {
    expect(inline('[[x](https://example.com)')).toEqual([
      { kind: 'text', text: '[' },
      { kind: 'link', text: 'x', href: 'https://example.com' },
    ])
    expect(inline('[1] and (2)')).toEqual([{ kind: 'text', text: '[1] and (2)' }])
  })

  it('takes signs that nothing closes for text', () => {
    expect(inline('**a* _b `c')).toEqual([
      { kind: 'text', text: '*' },
      { kind: 'italic', text: 'a' },
      { kind: 'text', text: ' _b `c' },
    ])
  })
})

describe('a text made to hold the page up', () => {
  afterEach(() => vi.restoreAllMocks())

  /** How many letters are passed by while signs are searched for. */
  function stepsOf(text: string): number {
    let steps = 0
    const indexOf = String.prototype.indexOf
    vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (this: string, sign: string, from = 0) {
      const found = indexOf.call(this, sign, from)
      steps += (found === -1 ? this.length : found + 1) - Math.min(from, this.length)
      return found
    })
    inline(text)
    vi.restoreAllMocks()
    return steps
  }

  const long = (piece: string) => piece.repeat(Math.ceil(100_000 / piece.length))

  it.each(['[a](', '[', '*', '`', '_', '**a', '*a ', '_a', '[a](b ', '[a]', ']('])(
    '%s is walked through once for each sign',
    (piece) => {
      for (const text of [long(piece), `${long(piece)})`, `${long(piece)}]`]) {
        expect(stepsOf(text)).toBeLessThanOrEqual(8 * text.length)
      }
    },
  )

  it('stays the same text', () => {
    expect(inline(long('[a]('))).toEqual([{ kind: 'text', text: long('[a](') }])
  })
})
