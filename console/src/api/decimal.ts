/*
 * Exact decimals. The service writes quantities and costs as JSON numbers of up to 19 digits; a binary float holds 15 of them. So
 * `parseExact` (json.ts) leaves a number of up to 15 significant digits a JavaScript number, which shows these digits unchanged, and
 * turns a longer one into its text. Both are a `Decimal`; the types of the API say so wherever the document says `format: decimal`.
 * Compute with the functions below, never with `+` or `<`, and send texts: the service reads both.
 */

export type Decimal = number | string

/** `units` divided by ten to the power of `scale`. */
interface Scaled {
  units: bigint
  scale: number
}

const form = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/

function scaled(value: Decimal): Scaled {
  const match = form.exec(String(value).trim())
  const [, sign, whole = '', fraction = '', exponent = '0'] = match ?? []
  if (!match || whole + fraction === '') throw new RangeError(`not a decimal: ${value}`)
  const digits = BigInt(whole + fraction)
  const scale = fraction.length - Number(exponent)
  const units = scale < 0 ? digits * 10n ** BigInt(-scale) : digits
  return { units: sign === '-' ? -units : units, scale: Math.max(scale, 0) }
}

function text({ units, scale }: Scaled): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '')
  const sign = units < 0n ? '-' : ''
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}

/** Brings two decimals to the same scale, and gives their units. */
function aligned(a: Decimal, b: Decimal): [bigint, bigint, number] {
  const left = scaled(a)
  const right = scaled(b)
  const scale = Math.max(left.scale, right.scale)
  return [left.units * 10n ** BigInt(scale - left.scale), right.units * 10n ** BigInt(scale - right.scale), scale]
}

/** The plain text of a decimal: no exponent, no zeros at its end. */
export function plain(value: Decimal): string {
  return text(scaled(value))
}

export function add(...values: Decimal[]): string {
  return values.reduce<string>((sum, value) => {
    const [left, right, scale] = aligned(sum, value)
    return text({ units: left + right, scale })
  }, '0')
}

export function subtract(a: Decimal, b: Decimal): string {
  const [left, right, scale] = aligned(a, b)
  return text({ units: left - right, scale })
}

export function multiply(a: Decimal, b: Decimal): string {
  const left = scaled(a)
  const right = scaled(b)
  return text({ units: left.units * right.units, scale: left.scale + right.scale })
}

/** Negative, zero or positive, as for `sort`. */
export function compare(a: Decimal, b: Decimal): number {
  const [left, right] = aligned(a, b)
  return left < right ? -1 : left > right ? 1 : 0
}

export function equals(a: Decimal, b: Decimal): boolean {
  return compare(a, b) === 0
}

export function isZero(value: Decimal): boolean {
  return scaled(value).units === 0n
}

export function isDecimal(value: unknown): value is Decimal {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'string') return false
  const match = form.exec(value.trim())
  return match !== null && `${match[2]}${match[3] ?? ''}` !== ''
}

/** Part of whole as a number from 0 to 1, for bars and other pictures; never shown as a quantity or sent. */
export function ratio(part: Decimal, whole: Decimal): number {
  const [left, right] = aligned(part, whole)
  if (right <= 0n || left <= 0n) return 0
  return Math.min(Number((left * 10_000n) / right) / 10_000, 1)
}

export interface Separators {
  group: string
  decimal: string
}

/** The separators of a language, as `Intl` writes them. */
export function separatorsOf(locale: string): Separators {
  const parts = new Intl.NumberFormat(locale, { useGrouping: 'always' }).formatToParts(12345678.5)
  const find = (type: string) => parts.find((part) => part.type === type)?.value
  return { group: find('group') ?? ',', decimal: find('decimal') ?? '.' }
}

export function format(value: Decimal, { group, decimal }: Separators): string {
  const [whole = '', fraction] = plain(value).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, group)
  return fraction === undefined ? grouped : `${grouped}${decimal}${fraction}`
}

/** What somebody typed as plain text, or null if it is no decimal. Groups may be left out, but what looks like one has to be one: in
 * English `2,5` is no number rather than 25. Where the language groups by dots, any other dot is taken as the decimal separator, since
 * number pads type dots everywhere: in Italian `1.5` and `0.125` are what they look like, and `1.000` is a thousand. */
export function parse(typed: string, { group, decimal }: Separators): string | null {
  const cleaned = typed.trim().replaceAll(/[\s\u00a0\u202f'’]/g, '')
  const at = cleaned.indexOf(decimal)
  const [whole, fraction] = at < 0 ? [cleaned, ''] : [cleaned.slice(0, at), `.${cleaned.slice(at + 1)}`]
  const dotted = (isGrouped(whole, group) ? whole.replaceAll(group, '') : whole) + fraction
  return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(dotted) ? plain(dotted) : null
}

function isGrouped(whole: string, group: string): boolean {
  const [first = '', ...rest] = whole.replace(/^[+-]/, '').split(group)
  return rest.length > 0 && /^[1-9]\d{0,2}$/.test(first) && rest.every((three) => /^\d{3}$/.test(three))
}
