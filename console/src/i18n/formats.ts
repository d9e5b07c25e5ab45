/** How numbers, exact decimals, dates, times and durations are written in a language. */

import { dayNumber } from '@/ui/days'

type Numeric = `${number}`

/** The tag that numbers and dates follow: the browser's variant of the language (en-GB, en-US), else a usual one. */
export function localeOf(locale: string, browser: readonly string[] = browserLanguages()): string {
  const own = browser.find((tag) => tag.toLowerCase().startsWith(`${locale}-`))
  return own ?? (locale === 'it' ? 'it-IT' : 'en-GB')
}

function browserLanguages(): readonly string[] {
  return typeof navigator === 'undefined' ? [] : (navigator.languages ?? [])
}

const MADE = new Map<string, unknown>()

/** Formatters are slow to make and are asked for in every cell, so each is made once. */
function once<T>(kind: string, tag: string, options: object, make: () => T): T {
  const name = `${kind}|${tag}|${JSON.stringify(options)}`
  const known = MADE.get(name) as T | undefined
  if (known !== undefined) return known
  const made = make()
  MADE.set(name, made)
  return made
}

function numbers(tag: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return once('number', tag, options, () => new Intl.NumberFormat(tag, options))
}

function dates(tag: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return once('date', tag, options, () => new Intl.DateTimeFormat(tag, options))
}

function isNumeric(text: string): text is Numeric {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)
}

export function formatNumber(tag: string, value: number): string {
  return numbers(tag, { maximumFractionDigits: 6 }).format(value)
}

/** A percentage of a share between 0 and 1, whole. It never rounds up to 100 % before all is done. */
export function formatShare(tag: string, share: number): string {
  const shown = share < 1 ? Math.min(share, 0.99) : share
  return numbers(tag, { style: 'percent', maximumFractionDigits: 0 }).format(shown)
}

/** An exact decimal, with every digit it has: it is given as text, and no binary float comes between. */
export function formatDecimal(tag: string, value: string | number): string {
  const text = String(value).trim()
  if (!isNumeric(text)) return text
  return numbers(tag, { maximumFractionDigits: 20 }).format(text)
}

/** The sign that stands before the fraction in a language: `.` or `,`. */
export function decimalSign(tag: string): string {
  const part = numbers(tag, {})
    .formatToParts(1.5)
    .find(({ type }) => type === 'decimal')
  return part?.value ?? '.'
}

/** A point in time, or a bare date; undefined if the text is neither. */
export function parseTime(value: string | number | Date): Date | undefined {
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? undefined : time
}

function isBareDate(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
}

type Moment = string | number | Date

function write(tag: string, value: Moment, options: Intl.DateTimeFormatOptions, zone: string | undefined): string {
  const time = parseTime(value)
  if (time === undefined) return String(value)
  const timeZone = isBareDate(value) ? 'UTC' : zone
  return dates(tag, timeZone === undefined ? options : { ...options, timeZone }).format(time)
}

/** 5 Nov 2026. A bare date is that day everywhere. */
export function formatDate(tag: string, value: Moment, zone?: string): string {
  return write(tag, value, { dateStyle: 'medium' }, zone)
}

/** Thursday 5 November, with the year unless it is this one. */
export function formatDay(tag: string, value: Moment, now: Date = new Date(), zone?: string): string {
  const time = parseTime(value)
  const year = time?.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const)
  return write(tag, value, { weekday: 'long', day: 'numeric', month: 'long', ...year }, zone)
}

/** 14:05 */
export function formatTime(tag: string, value: Moment, zone?: string): string {
  return write(tag, value, { timeStyle: 'short' }, zone)
}

/** 5 Nov 2026, 14:05 */
export function formatDateTime(tag: string, value: Moment, zone?: string): string {
  return write(tag, value, { dateStyle: 'medium', timeStyle: 'short' }, zone)
}

/** How far the clocks are from UTC at that time: UTC+01:00. */
export function offsetOf(value: Moment, zone?: string): string {
  const offset = /[+-].*/.exec(write('en', value, { timeZoneName: 'longOffset' }, zone))
  return `UTC${offset?.[0] ?? '+00:00'}`
}

/** The exact time, to the second and with its offset: what hovering over a relative one shows. */
export function formatExact(tag: string, value: Moment, zone?: string): string {
  if (isBareDate(value) || !parseTime(value)) return write(tag, value, { dateStyle: 'full' }, zone)
  return `${write(tag, value, { dateStyle: 'full', timeStyle: 'medium' }, zone)} (${offsetOf(value, zone)})`
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const STEPS: readonly (readonly [below: number, unit: Intl.RelativeTimeFormatUnit, size: number])[] = [
  [45 * SECOND, 'second', Number.POSITIVE_INFINITY],
  [45 * MINUTE, 'minute', MINUTE],
  [21.5 * HOUR, 'hour', HOUR],
  [26 * DAY, 'day', DAY],
  [320 * DAY, 'month', 30.44 * DAY],
  [Number.POSITIVE_INFINITY, 'year', 365.25 * DAY],
]

/** 3 minutes ago, tomorrow, in 2 months; "now" within 45 seconds. Days are those of the calendar. */
export function formatRelative(tag: string, value: Moment, now: Date = new Date()): string {
  const time = parseTime(value)
  if (time === undefined) return String(value)
  const away = time.getTime() - now.getTime()
  const step = STEPS.find(([below]) => Math.abs(away) < below)
  if (step === undefined) return String(value)
  const [, unit, size] = step
  if (unit === 'day') {
    const days = dayNumber(isBareDate(value) ? value : time) - dayNumber(now)
    return days === 0 ? relative(tag).format(Math.round(away / HOUR), 'hour') : relative(tag).format(days, unit)
  }
  const count = Math.sign(away) * Math.max(Math.round(Math.abs(away) / size), unit === 'second' ? 0 : 1)
  return relative(tag).format(count === 0 ? 0 : count, unit)
}

function relative(tag: string): Intl.RelativeTimeFormat {
  const options = { numeric: 'auto' } as const
  return once('relative', tag, options, () => new Intl.RelativeTimeFormat(tag, options))
}

/** How long until a relative time reads otherwise, in milliseconds. */
export function relativeLasts(value: Moment, now: Date = new Date()): number {
  const away = Math.abs((parseTime(value)?.getTime() ?? 0) - now.getTime())
  if (away < 45 * MINUTE) return 20 * SECOND
  return away < DAY ? 10 * MINUTE : HOUR
}

/** A span of time in its two largest units: 45s, 3m 20s, 2h 5m, 3d 4h. Minutes alone are written out, as 45m reads as metres. */
export function formatDuration(tag: string, milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / SECOND))
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor(seconds / 3600) % 24, 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ]
  const first = Math.max(
    0,
    parts.findIndex(([count], at) => count > 0 || at === 3),
  )
  const shown = parts.slice(first, first + 2).filter(([count], at) => at === 0 || count > 0)
  const unitDisplay = shown.length === 1 && first === 2 ? 'short' : 'narrow'
  return shown.map(([count, unit]) => numbers(tag, { style: 'unit', unit, unitDisplay }).format(count)).join(' ')
}

/** A running clock: 0:07, 12:45, 3:02:11. */
export function formatClock(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / SECOND))
  const two = (count: number) => String(count).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor(seconds / 60) % 60
  const rest = two(seconds % 60)
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`
}

/** A size of a file: 12 kB, 3.4 MB. */
export function formatBytes(tag: string, bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte']
  let size = bytes
  let at = 0
  while (size >= 1000 && at < units.length - 1) {
    size /= 1000
    at += 1
  }
  const digits = size < 10 && at > 0 ? 1 : 0
  const unit = units[at] ?? 'byte'
  const unitDisplay = at === 0 ? 'long' : 'short'
  return numbers(tag, { style: 'unit', unit, unitDisplay, maximumFractionDigits: digits }).format(size)
}
