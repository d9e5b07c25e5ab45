/*
 * What was typed or scanned into the search: plain words, or a GS1 code whose parts are looked for.
 */

import { parseScan } from '@/scan'

export interface Meaning {
  /** What is searched for. */
  readonly text: string
  /** The parts of a GS1 code, as they stand on the label. */
  readonly parts: readonly { readonly ai: string; readonly value: string }[]
}

/** The longest text that the service searches for. */
const LONGEST = 256

/** Of a longer text, as of a paragraph that was pasted, the beginning counts. */
export function meaningOf(typed: string, origin = ''): Meaning {
  const scanned = parseScan(typed, origin)
  if (scanned.kind !== 'gs1') return { text: [...typed.trim()].slice(0, LONGEST).join('').trim(), parts: [] }
  const text = scanned.serial ?? scanned.lot ?? scanned.sscc ?? scanned.gtin ?? scanned.raw
  return { text, parts: scanned.elements }
}

/** A beginning of a code that still says something, to look for neighbours of a code that nothing has. */
export function stemOf(code: string): string | undefined {
  const trimmed = code.trim()
  const cut = trimmed.replace(/[^-_./\s]+$/, '').replace(/[-_./\s]+$/, '')
  if (cut.length >= 2) return cut
  const half = trimmed.slice(0, Math.ceil(trimmed.length * 0.6))
  return half.length >= 2 && half.length < trimmed.length ? half : undefined
}

/** A text as a pattern of the service that finds it anywhere; wildcards that were typed keep their meaning. */
export function anywhere(text: string): string {
  if (/[*?]/.test(text)) return text
  return `*${text.replaceAll('\\', '\\\\')}*`
}
