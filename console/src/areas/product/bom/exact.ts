import { type Decimal, multiply, plain } from '@/api/decimal'

/** A decimal with at most so many fractional digits, halves to the even neighbour, as the service rounds. */
export function rounded(value: Decimal, digits: number): string {
  const text = plain(value)
  const [whole = '0', fraction = ''] = text.split('.')
  if (fraction.length <= digits) return text
  const negative = whole.startsWith('-')
  const kept = BigInt(whole.replace('-', '') + fraction.slice(0, digits))
  const rest = fraction.slice(digits)
  const half = `5${'0'.repeat(rest.length - 1)}`
  const up = rest > half || (rest === half && kept % 2n === 1n)
  const units = String(up ? kept + 1n : kept).padStart(digits + 1, '0')
  const sign = negative ? '-' : ''
  return plain(`${sign}${units.slice(0, units.length - digits)}.${units.slice(units.length - digits)}`)
}

/** Multiplies along a path of the bill of materials, kept with 12 fractional digits as the service keeps it. */
export function along(total: Decimal, perUnit: Decimal): string {
  return rounded(multiply(total, perUnit), 12)
}

/** A share of 0 to 1 in per cent, with one digit that is cut off, not rounded: 0.99999 is not 100. */
export function percent(share: Decimal): string {
  const [whole = '0', fraction = ''] = plain(multiply(share, 100)).split('.')
  return plain(`${whole}.${fraction.slice(0, 1) || '0'}`)
}
