/*
 * Code 128, the barcode on the order sheet: every wedge scanner reads it, and the console opens the order by its code.
 */

/** The widths of bars and spaces of each symbol, bar first; the last one, the stop, has seven. */
const WIDTHS = (
  '212222 222122 222221 121223 121322 131222 122213 122312 132212 221213 221312 231212 112232 122132 122231 113222 ' +
  '123122 123221 223211 221132 221231 213212 223112 312131 311222 321122 321221 312212 322112 322211 212123 212321 ' +
  '232121 111323 131123 131321 112313 132113 132311 211313 231113 231311 112133 112331 132131 113123 113321 133121 ' +
  '313121 211331 231131 213113 213311 213131 311123 311321 331121 312113 312311 332111 314111 221411 431111 111224 ' +
  '111422 121124 121421 141122 141221 112214 112412 122114 122411 142112 142211 241211 221114 413111 241112 134111 ' +
  '111242 121142 121241 114212 124112 124211 411212 421112 421211 212141 214121 412121 111143 111341 131141 114113 ' +
  '114311 411113 411311 113141 114131 311141 411131 211412 211214 211232 2331112'
).split(' ')

const START_B = 104
const START_C = 105
const CODE_B = 100
const CODE_C = 99
const STOP = 106

/** A run of digits is worth the shorter code set C: four at an end, six in the middle. */
function digitsAt(text: string, at: number): number {
  const run = /^\d*/.exec(text.slice(at))?.[0].length ?? 0
  const atEdge = at === 0 || at + run === text.length
  return run >= (atEdge ? 4 : 6) ? run - (run % 2) : 0
}

/** The symbols of a text of printable ASCII, with start, check digit and stop; null if it has other characters. */
export function symbolsOf(text: string): number[] | null {
  if (text === '' || !/^[ -~]+$/.test(text)) return null
  const symbols: number[] = []
  let inC = false
  for (let at = 0; at < text.length; ) {
    const pairs = digitsAt(text, at)
    if (symbols.length === 0) symbols.push(pairs > 0 ? START_C : START_B)
    else if (inC !== pairs > 0) symbols.push(pairs > 0 ? CODE_C : CODE_B)
    inC = pairs > 0
    for (let pair = 0; pair < pairs; pair += 2) symbols.push(Number(text.slice(at + pair, at + pair + 2)))
    if (!inC) symbols.push(text.charCodeAt(at) - 32)
    at += Math.max(pairs, 1)
  }
  const check = symbols.reduce((sum, symbol, at) => sum + symbol * Math.max(at, 1), 0) % 103
  return [...symbols, check, STOP]
}

export interface Bars {
  /** In modules, without the quiet zones. */
  readonly width: number
  readonly bars: readonly { readonly x: number; readonly width: number }[]
}

/** Where the bars of a text are, in modules. */
export function barsOf(text: string): Bars | null {
  const symbols = symbolsOf(text)
  if (symbols === null) return null
  const widths = symbols.flatMap((symbol) => [...(WIDTHS[symbol] ?? '')].map(Number))
  const bars: { x: number; width: number }[] = []
  let x = 0
  widths.forEach((width, at) => {
    if (at % 2 === 0) bars.push({ x, width })
    x += width
  })
  return { width: x, bars }
}

export const symbolWidths: readonly string[] = WIDTHS
