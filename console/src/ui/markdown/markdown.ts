/*
 * The part of Markdown that instructions are written in: paragraphs, headings, lists, bold, italic, code and links. It becomes data,
 * never HTML, so nothing that somebody writes into a step can run in the page.
 */

import { linesOf } from '../long-text'

export type Inline =
  | { readonly kind: 'text' | 'bold' | 'italic' | 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string }

export type Block =
  | { readonly kind: 'paragraph'; readonly lines: readonly (readonly Inline[])[] }
  | { readonly kind: 'heading'; readonly text: readonly Inline[] }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: 'code'; readonly text: string }

/** Only addresses that lead to a page or a mail. */
function safe(href: string): boolean {
  return /^(https?:\/\/|mailto:|\/(?![/\\]))/i.test(href)
}

/**
 * A line that knows where its signs come next. Each search goes on where the one before ended, so that a line is walked through once for
 * each sign, whatever somebody writes into it.
 */
class Line {
  readonly #next = new Map<string, number>()

  constructor(readonly text: string) {}

  /** Where a sign comes at or after a place; past the end if it does not. Ask for later and later places only. */
  find(sign: string, from: number): number {
    const known = this.#next.get(sign) ?? -1
    if (known >= from) return known
    const found = this.text.indexOf(sign, from)
    const at = found === -1 ? Number.POSITIVE_INFINITY : found
    this.#next.set(sign, at)
    return at
  }

  isWord(at: number): boolean {
    return /\w/.test(this.text.charAt(at))
  }
}

interface Marked {
  readonly part: Inline
  /** Where the text goes on. */
  readonly end: number
}

function between(line: Line, at: number, sign: string, kind: 'bold' | 'italic' | 'code'): Marked | null {
  const from = at + sign.length
  const close = line.find(sign, from + 1)
  if (close > line.text.length) return null
  return { part: { kind, text: line.text.slice(from, close) }, end: close + sign.length }
}

function starred(line: Line, at: number): Marked | null {
  if (line.text.startsWith('**', at)) return between(line, at, '**', 'bold')
  return /\s/.test(line.text.charAt(at + 1)) ? null : between(line, at, '*', 'italic')
}

/** Inside a word an underscore is a letter, as in codes. */
function underscored(line: Line, at: number): Marked | null {
  if (line.text.startsWith('__', at)) return between(line, at, '__', 'bold')
  const marked = line.isWord(at - 1) ? null : between(line, at, '_', 'italic')
  return marked === null || line.isWord(marked.end) ? null : marked
}

/** A link has no other in it. */
function linked(line: Line, at: number): Marked | null {
  const middle = line.find('](', at + 1)
  const end = line.find(')', middle + 2)
  if (end > line.text.length || line.find('[', at + 1) < end) return null
  const text = line.text.slice(at + 1, middle)
  const href = line.text.slice(middle + 2, end)
  if (text === '' || href === '' || text.includes(']') || /\s/.test(href)) return null
  return { part: safe(href) ? { kind: 'link', text, href } : { kind: 'text', text }, end: end + 1 }
}

function marked(line: Line, at: number): Marked | null {
  switch (line.text.charAt(at)) {
    case '*':
      return starred(line, at)
    case '_':
      return underscored(line, at)
    case '`':
      return line.text.startsWith('``', at) ? null : between(line, at, '`', 'code')
    default:
      return linked(line, at)
  }
}

export function inline(text: string): Inline[] {
  const line = new Line(text)
  const signs = /[*_`[]/g
  const found: Inline[] = []
  let plain = 0
  for (let sign = signs.exec(text); sign !== null; sign = signs.exec(text)) {
    const next = marked(line, sign.index)
    if (next === null) continue
    if (sign.index > plain) found.push({ kind: 'text', text: text.slice(plain, sign.index) })
    found.push(next.part)
    plain = next.end
    signs.lastIndex = next.end
  }
  if (plain < text.length) found.push({ kind: 'text', text: text.slice(plain) })
  return found
}

const BULLET = /^[-*+]\s+/
const NUMBER = /^\d+[.)]\s+/
const HEADING = /^#{1,6}\s+/

/** How a line is read: what kind of block it belongs to, and its text. */
function lineKind(line: string): { kind: 'bullet' | 'number' | 'heading' | 'text'; text: string } {
  const words = line.trim()
  for (const [kind, form] of [
    ['bullet', BULLET],
    ['number', NUMBER],
    ['heading', HEADING],
  ] as const) {
    const mark = form.exec(words)?.[0]
    if (mark !== undefined) return { kind, text: words.slice(mark.length) }
  }
  return { kind: 'text', text: words }
}

function blockOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = []
  let run: { kind: 'bullet' | 'number' | 'text'; lines: Inline[][] } | undefined
  const close = () => {
    if (run?.kind === 'text') blocks.push({ kind: 'paragraph', lines: run.lines })
    else if (run) blocks.push({ kind: 'list', ordered: run.kind === 'number', items: run.lines })
    run = undefined
  }
  for (const line of lines) {
    const { kind, text } = lineKind(line)
    if (kind === 'heading') {
      close()
      blocks.push({ kind: 'heading', text: inline(text) })
      continue
    }
    if (run?.kind !== kind) {
      close()
      run = { kind, lines: [] }
    }
    run.lines.push(inline(text))
  }
  close()
  return blocks
}

export function markdown(text: string): Block[] {
  return text
    .replaceAll('\r\n', '\n')
    .split(/^```.*$/m)
    .flatMap((piece, at): Block[] => {
      if (at % 2 === 1) return [{ kind: 'code', text: piece.replace(/^\n|\n$/g, '') }]
      return piece
        .split(/\n\s*\n/)
        .map((block) => linesOf(block).filter((line) => line.trim() !== ''))
        .flatMap(blockOf)
    })
}
