/*
 * Reads what a scanner sends: plain codes, GS1 element strings (as FNC1 or bracketed), GS1 Digital Links, and links of
 * this console.
 */

import { dataOf } from './identifiers'

export const FNC1 = '\u001d'

export interface Element {
  /** The application identifier, such as `21`. */
  readonly ai: string
  readonly value: string
}

export type Scanned =
  | { readonly kind: 'plain'; readonly raw: string; readonly code: string }
  | { readonly kind: 'console'; readonly raw: string; readonly to: string }
  | ({ readonly kind: 'gs1'; readonly raw: string; readonly elements: readonly Element[] } & Gs1Data)

export interface Gs1Data {
  /** AI 21. */
  readonly serial: string | undefined
  /** AI 01 or 02: 14 digits. */
  readonly gtin: string | undefined
  /** AI 10. */
  readonly lot: string | undefined
  /** AI 00. */
  readonly sscc: string | undefined
}

/** Prefixes of symbologies that carry GS1 data: Code 128, DataMatrix, QR, DataBar and DotCode. */
const GS1_PREFIX = /^\](C1|d2|Q3|e0|J1)/
const ANY_PREFIX = /^\][A-Za-z][0-9A-Za-z]/
/** How scanners that cannot type FNC1 write it. */
const WRITTEN_FNC1 = /\{GS\}|<GS>|\u241d|\^\]/g

/** What a scan means. `origin` is that of this console, to know its own links. */
export function parseScan(input: string, origin = ''): Scanned {
  const raw = input.trim().replaceAll(WRITTEN_FNC1, FNC1)
  if (/^https?:\/\//i.test(raw)) return parseLink(raw, origin)
  const marked = GS1_PREFIX.test(raw)
  const code = raw.replace(ANY_PREFIX, '')
  const elements = code.startsWith('(') ? parseBracketed(code) : parseMarked(code, marked)
  if (elements !== undefined) return gs1(raw, elements)
  return { kind: 'plain', raw, code: code.replaceAll(FNC1, '') }
}

function gs1(raw: string, elements: readonly Element[]): Scanned {
  const value = (...ais: string[]) => elements.find(({ ai }) => ais.includes(ai))?.value
  return {
    kind: 'gs1',
    raw,
    elements,
    serial: value('21'),
    gtin: value('01', '02'),
    lot: value('10'),
    sscc: value('00'),
  }
}

/** Without a mark only what is GS1 beyond doubt: a separator inside, or an article number whose check digit fits, and more. */
function parseMarked(code: string, marked: boolean): Element[] | undefined {
  const separated = code.includes(FNC1)
  if (!marked && !separated && !/^01\d{14}./.test(code)) return undefined
  const elements = parseElements(code.replace(new RegExp(`^${FNC1}`), ''))
  const gtin = elements?.find(({ ai }) => ai === '01')?.value
  if (!marked && !separated && (gtin === undefined || !checkDigitFits(gtin))) return undefined
  return elements
}

/** An element string: identifiers with their data; those of variable length end with FNC1 or the end. */
export function parseElements(text: string): Element[] | undefined {
  const elements: Element[] = []
  let rest = text
  while (rest !== '') {
    const data = dataOf(rest)
    if (data === undefined) return undefined
    const body = rest.slice(data.ai.length)
    const end = body.indexOf(FNC1)
    const open = end < 0 ? body : body.slice(0, end)
    const value = data.fixed ? body.slice(0, data.length) : open
    if (!fits(value, data)) return undefined
    elements.push({ ai: data.ai, value })
    rest = body.slice(value.length)
    if (rest.startsWith(FNC1)) rest = rest.slice(1)
  }
  return elements.length > 0 ? elements : undefined
}

function fits(value: string, data: { fixed: boolean; length: number; digits: boolean }): boolean {
  if (data.digits && !/^\d+$/.test(value)) return false
  return data.fixed ? value.length === data.length : value.length >= 1 && value.length <= data.length
}

/** The form that people print below a symbol: (01)09506000134352(21)A7. */
export function parseBracketed(text: string): Element[] | undefined {
  const whole = /^(\(\d{2,4}\)[^(]+)+$/.test(text)
  if (!whole) return undefined
  const elements = [...text.matchAll(/\((\d{2,4})\)([^(]+)/g)].map(([, ai = '', value = '']) => ({
    ai,
    value: value.trim(),
  }))
  return elements.every(({ ai, value }) => {
    const data = dataOf(ai + value)
    return data?.ai === ai && fits(value, data)
  })
    ? elements
    : undefined
}

/** Whether the last digit of an article or container number is the check digit of the others. */
export function checkDigitFits(number: string): boolean {
  const digits = [...number].map(Number)
  const check = digits.pop()
  const sum = digits.reverse().reduce((total, digit, at) => total + digit * (at % 2 === 0 ? 3 : 1), 0)
  return check === (10 - (sum % 10)) % 10
}

function parseLink(raw: string, origin: string): Scanned {
  const plain: Scanned = { kind: 'plain', raw, code: raw }
  if (!URL.canParse(raw)) return plain
  const url = new URL(raw)
  if (origin !== '' && url.origin === origin) {
    if (!isReadable(url)) return plain
    return { kind: 'console', raw, to: `${url.pathname}${url.search}${url.hash}` }
  }
  const elements = digitalLink(url)
  return elements === undefined ? plain : gs1(raw, elements)
}

/** Whether the router can read it: a damaged code may hold half an escaped letter. */
function isReadable({ pathname, search, hash }: URL): boolean {
  try {
    decodeURIComponent(pathname + search + hash)
    return true
  } catch {
    return false
  }
}

const SHORT_NAMES: Readonly<Partial<Record<string, string>>> = {
  gtin: '01',
  lot: '10',
  ser: '21',
  sscc: '00',
  cpv: '22',
}

/** A GS1 Digital Link of any host: /01/09506000134352/21/A7?17=271231. */
export function digitalLink(url: URL): Element[] | undefined {
  const steps = url.pathname.split('/').filter((step) => step !== '')
  const start = steps.findIndex((step, at) => isPrimary(step) && steps[at + 1] !== undefined)
  if (start < 0) return undefined
  const pairs: [string, string][] = []
  for (let at = start; at + 1 < steps.length; at += 2) pairs.push([steps[at] ?? '', steps[at + 1] ?? ''])
  const inPath = pairs.map(([name, value]) => element(SHORT_NAMES[name] ?? name, decode(value)))
  const inQuery = [...url.searchParams]
    .filter(([name]) => /^\d{2,4}$/.test(name))
    .map(([ai, value]) => element(ai, value))
  const elements = [...inPath, ...inQuery]
  const known = elements.every(({ ai, value }) => dataOf(ai + value)?.ai === ai)
  return known ? elements : undefined
}

function isPrimary(step: string): boolean {
  return /^(00|01|gtin|sscc|8004|8006|414|253)$/.test(step)
}

function element(ai: string, value: string): Element {
  return { ai, value: ai === '01' && /^\d{8,13}$/.test(value) ? value.padStart(14, '0') : value }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A GS1 date (YYMMDD, day 00 = end of month) as `YYYY-MM-DD`, or undefined. */
export function gs1Date(value: string, now: Date = new Date()): string | undefined {
  const match = /^(\d\d)(\d\d)(\d\d)$/.exec(value)
  if (!match) return undefined
  const [, yy = '', mm = '', dd = ''] = match
  const century = Math.floor(now.getFullYear() / 100) * 100
  const ahead = century + Number(yy) - now.getFullYear()
  const year = century + Number(yy) + (ahead > 50 ? -100 : ahead <= -50 ? 100 : 0)
  const last = new Date(Date.UTC(year, Number(mm), 0)).getUTCDate()
  const day = dd === '00' ? last : Number(dd)
  if (Number(mm) < 1 || Number(mm) > 12 || day > last) return undefined
  return `${year}-${mm}-${String(day).padStart(2, '0')}`
}
