/*
 * The part of Markdown that instructions are written in: paragraphs, headings, lists, bold, italic, code and links. It becomes data,
 * never HTML, so nothing that somebody writes into a step can run in the page.
 */

export type Inline =
  | { readonly kind: 'text' | 'bold' | 'italic' | 'code'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly href: string }

export type Block =
  | { readonly kind: 'paragraph'; readonly lines: readonly (readonly Inline[])[] }
  | { readonly kind: 'heading'; readonly text: readonly Inline[] }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: 'code'; readonly text: string }

const INLINE = /\*\*(.+?)\*\*|__(.+?)__|\*([^*\s][^*]*)\*|\b_([^_]+)_\b|`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)/g

/** Only addresses that lead to a page or a mail. */
function safe(href: string): boolean {
  return /^(https?:\/\/|mailto:|\/(?!\/))/i.test(href)
}

function marked(match: RegExpMatchArray): Inline {
  const [all, bold, bold2, italic, italic2, code, text, href] = match
  const strong = bold ?? bold2
  const slanted = italic ?? italic2
  if (strong !== undefined) return { kind: 'bold', text: strong }
  if (slanted !== undefined) return { kind: 'italic', text: slanted }
  if (code !== undefined) return { kind: 'code', text: code }
  if (text !== undefined && href !== undefined && safe(href)) return { kind: 'link', text, href }
  return { kind: 'text', text: text ?? all }
}

export function inline(line: string): Inline[] {
  const found: Inline[] = []
  let at = 0
  for (const match of line.matchAll(INLINE)) {
    if (match.index > at) found.push({ kind: 'text', text: line.slice(at, match.index) })
    found.push(marked(match))
    at = match.index + match[0].length
  }
  if (at < line.length) found.push({ kind: 'text', text: line.slice(at) })
  return found
}

const BULLET = /^\s*[-*+]\s+(.*)$/
const NUMBER = /^\s*\d+[.)]\s+(.*)$/
const HEADING = /^#{1,6}\s+(.*)$/

/** How a line is read: what kind of block it belongs to, and its text. */
function lineKind(line: string): { kind: 'bullet' | 'number' | 'heading' | 'text'; text: string } {
  for (const [kind, form] of [
    ['bullet', BULLET],
    ['number', NUMBER],
    ['heading', HEADING],
  ] as const) {
    const text = form.exec(line)?.[1]
    if (text !== undefined) return { kind, text }
  }
  return { kind: 'text', text: line.trim() }
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
        .map((block) => block.split('\n').filter((line) => line.trim() !== ''))
        .flatMap(blockOf)
    })
}
