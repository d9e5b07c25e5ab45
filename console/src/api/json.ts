/*
 * Reads JSON without losing digits: a number with more than 15 significant digits, which a binary float could not show as it was
 * written, becomes its text (see decimal.ts). The source text that newer engines hand to a reviver of `JSON.parse` would do too, but a
 * reviver visits every member of every answer, and not all browsers have it. Answers with such a number are rare and found by one
 * search, so nearly all are parsed at full speed, and all browsers take the same path.
 */

const suspicious = /[\d.]{16}/
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

function significantDigits(number: string): number {
  return number
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '').length
}

/** The same JSON with long numbers in quotation marks. */
export function quoteLongNumbers(json: string): string {
  if (!suspicious.test(json)) return json
  return json.replace(tokens, (token) => (token[0] !== '"' && significantDigits(token) > 15 ? `"${token}"` : token))
}

export function parseExact(json: string): unknown {
  return JSON.parse(quoteLongNumbers(json))
}
