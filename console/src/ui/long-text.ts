/*
 * Long texts. What is shown of them at first, and how they are laid out: browsers measure a line from its first letter to its last again
 * and again while they wrap it, so that one of a hundred thousand letters without a break holds the page up for seconds.
 */

/** A place to break a text at or before `most`: after the last white space if one is near, else right there. */
function breakAt(text: string, most: number): number {
  for (let at = most; at > most * 0.8; at -= 1) if (/\s/.test(text.charAt(at - 1))) return at
  const inPair = /[\uD800-\uDBFF]/.test(text.charAt(most - 1))
  return inPair ? most - 1 : most
}

/** The beginning of a text; null if the whole is no longer than that. */
export function opening(text: string, most: number): string | null {
  return text.length <= most ? null : text.slice(0, breakAt(text, most)).trimEnd()
}

/** So long is a line that lays out at once. */
const LINE = 2_000

/** The lines of a text, the very long ones broken. */
export function linesOf(text: string): string[] {
  return text.split(/\r\n|\n/).flatMap((line) => {
    const pieces: string[] = []
    let rest = line
    while (rest.length > LINE) {
      const at = breakAt(rest, LINE)
      pieces.push(rest.slice(0, at))
      rest = rest.slice(at)
    }
    return [...pieces, rest]
  })
}
