/** `JSON.rawJSON`: writes a number into JSON digit by digit. Newer than our type library. */
interface RawJson {
  rawJSON?: (text: string) => unknown
}

function significantDigits(text: string): number {
  return text.replace(/^-/, '').replace('.', '').replace(/^0+/, '').length
}

/**
 * A decimal to put into a body of JSON as a number. Up to 15 digits a JavaScript number holds them all; longer ones are
 * written raw, where the browser can.
 */
export function rawNumber(text: string): unknown {
  const raw = (JSON as RawJson).rawJSON
  return significantDigits(text) > 15 && raw !== undefined ? raw(text) : Number(text)
}
