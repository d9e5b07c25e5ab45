/*
 * Signs that nobody sees: they turn the direction of the text around them, or have no width. With them one code can look like another.
 */

const HIDDEN = /([\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff])/

/** A hidden sign by its number, as tables of characters write it. */
export function nameOf(sign: string): string {
  return `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** A text cut at its hidden signs: texts at even places, signs at odd ones. */
export function piecesOf(text: string): string[] {
  return text.split(HIDDEN)
}

/** The text with its hidden signs by name, where there is room for plain text only. */
export function plainly(text: string): string {
  return piecesOf(text)
    .map((piece, at) => (at % 2 === 0 ? piece : `[${nameOf(piece)}]`))
    .join('')
}
