import type en from './en'
import first from './en/first'
import { formatNumber, localeOf } from './formats'
import type { Message, Placeholders, PluralForms } from './messages'

/** The languages the console speaks. */
export const LOCALES = ['en', 'it'] as const
export type Locale = (typeof LOCALES)[number]

type English = typeof en
type Area = keyof English & string

/** The name of a text: `area.key`. */
export type TextKey = {
  [A in Area]: `${A}.${keyof English[A] & string}`
}[Area]

type MessageOf<K> = K extends `${infer A}.${infer Rest}`
  ? A extends Area
    ? Rest extends keyof English[A]
      ? English[A][Rest]
      : never
    : never
  : never

export type TextValue = string | number

type Needs<K extends TextKey> = Placeholders<MessageOf<K>>

/** The values of a text; they may be left out only if it has no placeholder. */
export type TextArgs<K extends TextKey, V = TextValue> = [Needs<K>] extends [never]
  ? []
  : [values: Readonly<Record<Needs<K>, V> & Partial<Record<string, V>>>]

export type Catalogue = Readonly<Record<string, Readonly<Record<string, Message>>>>

/** The texts of the first pages, and those of the areas, which come with the first page of one. */
const FILES: Record<'first' | 'areas', Record<Locale, () => Promise<{ default: Catalogue }>>> = {
  first: { en: () => Promise.resolve({ default: first }), it: () => import('./it/first') },
  areas: { en: () => import('./en/areas'), it: () => import('./it/areas') },
}
type Part = keyof typeof FILES

const CATALOGUES = new Map<Locale, Catalogue>([['en', first]])
const wanted = new Set<Part>(['first'])
let spoken: Locale = 'en'

async function load(locale: Locale, part: Part): Promise<void> {
  const { default: texts } = await FILES[part][locale]()
  CATALOGUES.set(locale, { ...CATALOGUES.get(locale), ...texts })
}

/** Fetches the texts of a language: as many as there are of the one that was spoken before. */
export async function loadLocale(locale: Locale): Promise<void> {
  const before = spoken
  spoken = locale
  try {
    await Promise.all([...wanted].map((part) => load(locale, part)))
  } catch (error) {
    spoken = before
    throw error
  }
}

/** Fetches the texts of the areas. */
export async function loadAreaTexts(): Promise<void> {
  wanted.add('areas')
  await load(spoken, 'areas')
}

export function isLocale(value: unknown): value is Locale {
  return LOCALES.some((locale) => locale === value)
}

/** The language to speak: what the user prefers, else what was chosen here before, else what the browser asks for. */
export function chooseLocale(preferred: unknown, stored: unknown, browser: readonly string[]): Locale {
  if (isLocale(preferred)) return preferred
  if (isLocale(stored)) return stored
  const known = browser.map((tag) => tag.slice(0, 2).toLowerCase()).find(isLocale)
  return known ?? 'en'
}

function find(locale: Locale, key: string): Message | undefined {
  const dot = key.indexOf('.')
  const area = key.slice(0, dot)
  const name = key.slice(dot + 1)
  return CATALOGUES.get(locale)?.[area]?.[name]
}

const RULES = new Map<string, Intl.PluralRules>()

function pluralForm(locale: Locale, forms: PluralForms, count: TextValue | undefined): string {
  let rules = RULES.get(locale)
  if (rules === undefined) {
    rules = new Intl.PluralRules(locale)
    RULES.set(locale, rules)
  }
  const rule = rules.select(Number(count))
  if (rule === 'one') return forms.one
  return (rule === 'many' ? forms.many : undefined) ?? forms.other
}

/** The template of a text, in the plural form that `count` asks for. */
export function template(locale: Locale, key: TextKey, count?: TextValue): string {
  const message = find(locale, key)
  if (message === undefined) return key
  return typeof message === 'string' ? message : pluralForm(locale, message, count)
}

/** A template cut at its placeholders: texts at even places, names at odd ones. */
export function pieces(text: string): string[] {
  return text.split(/\{(\w+)\}/)
}

/** A text with its values filled in; numbers are written as the language writes them. */
export function fill(locale: Locale, key: TextKey, values: Readonly<Partial<Record<string, TextValue>>> = {}): string {
  return pieces(template(locale, key, values.count))
    .map((piece, at) => (at % 2 === 0 ? piece : show(locale, values[piece])))
    .join('')
}

function show(locale: Locale, value: TextValue | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'number' ? formatNumber(localeOf(locale), value) : value
}
