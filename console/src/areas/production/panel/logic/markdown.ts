/*
 * The little markdown that instructions are written in: paragraphs, headings, lists, bold, italic, code. Everything else stays text.
 */

export interface Span {
  /** Its place in the text: nothing moves there. */
  readonly id: number
  readonly look: 'plain' | 'bold' | 'italic' | 'code'
  readonly text: string
}

export type Block =
  | { readonly kind: 'paragraph' | 'heading'; readonly spans: readonly Span[] }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly Item[] }

export interface Item {
  readonly id: number
  readonly spans: readonly Span[]
}

const MARKS = /\*\*(.+?)\*\*|__(.+?)__|\*(?!\s)(.+?)\*|`([^`]+)`/g

export function spansOf(text: string): Span[] {
  const spans: Span[] = []
  let from = 0
  for (const match of text.matchAll(MARKS)) {
    if (match.index > from) spans.push({ id: from, look: 'plain', text: text.slice(from, match.index) })
    const [all, bold, under, italic, code] = match
    if (code !== undefined) spans.push({ id: match.index, look: 'code', text: code })
    else if (italic !== undefined) spans.push({ id: match.index, look: 'italic', text: italic })
    else spans.push({ id: match.index, look: 'bold', text: bold ?? under ?? '' })
    from = match.index + all.length
  }
  if (from < text.length) spans.push({ id: from, look: 'plain', text: text.slice(from) })
  return spans
}

const BULLET = /^\s*[-*+]\s+(.*)$/
const NUMBER = /^\s*\d+[.)]\s+(.*)$/

function listOf(lines: readonly string[], mark: RegExp, ordered: boolean): Block | null {
  const items = lines.map((line) => mark.exec(line)?.[1])
  if (items.some((item) => item === undefined)) return null
  return { kind: 'list', ordered, items: items.map((item, id) => ({ id, spans: spansOf(item ?? '') })) }
}

function blockOf(text: string): Block {
  const lines = text.split('\n')
  const list = listOf(lines, BULLET, false) ?? listOf(lines, NUMBER, true)
  if (list) return list
  const heading = /^#{1,6}\s+(.*)$/.exec(text)
  if (heading) return { kind: 'heading', spans: spansOf(heading[1] ?? '') }
  return { kind: 'paragraph', spans: spansOf(lines.map((line) => line.trim()).join(' ')) }
}

export function blocksOf(markdown: string): { readonly id: number; readonly block: Block }[] {
  const parts = markdown.replaceAll('\r\n', '\n').split(/\n\s*\n/)
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part, id) => ({ id, block: blockOf(part) }))
}
