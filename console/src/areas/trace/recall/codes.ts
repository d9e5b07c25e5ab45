import { parseScan, type Scanned } from '@/scan/gs1'

/** What to look for of a scanned or pasted code; undefined if it names no unit. */
export function codeOf(scanned: Scanned): string | undefined {
  if (scanned.kind === 'console') return undefined
  if (scanned.kind === 'plain') return scanned.code === '' ? undefined : scanned.code
  return scanned.serial ?? scanned.lot ?? scanned.sscc
}

/** The key in a link of this console to a unit. */
export function keyInLink(to: string): string | undefined {
  const key = /^\/serial\/([^/?#]+)/.exec(to)?.[1]
  return key === undefined ? undefined : decodeURIComponent(key)
}

/**
 * The codes of a pasted list: one a line, or separated by tabs, commas or semicolons as spreadsheets give them; quotes around them fall away.
 * Each once, in order. GS1 strings and links give the code in them.
 */
export function codesIn(pasted: string, origin = ''): string[] {
  const found = new Map<string, string>()
  for (const line of pasted.split(/[\r\n\t]+/)) {
    const scanned = parseScan(line, origin)
    const pieces =
      scanned.kind === 'plain' ? line.split(/[;,]/).map((piece) => parseScan(unquoted(piece), origin)) : [scanned]
    for (const piece of pieces) {
      const code = codeOf(piece)
      if (code !== undefined) found.set(code.toLocaleUpperCase(), code)
    }
  }
  return [...found.values()]
}

function unquoted(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/, '$2')
}
