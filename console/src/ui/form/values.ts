/*
 * Values of custom fields: what people type (drafts), what the API takes, and what is wrong with them. Pure.
 */

import { compare, isDecimal, parse, plain, type Separators } from '@/api/decimal'
import type { TextKey } from '@/i18n'
import { rawNumber } from './raw-number'

export type FieldKind = 'text' | 'number' | 'boolean' | 'ternary' | 'choice' | 'date' | 'time' | 'files' | 'separator'

/** A field of a form, of a task or of an issue. */
export interface Field {
  readonly key: string
  readonly customKey: string
  readonly kind: FieldKind
  readonly label: string
  readonly hint?: string | undefined
  readonly mandatory: boolean
  readonly multiple: boolean
  readonly hidden: boolean
  readonly default?: string | undefined
  readonly min?: string | undefined
  readonly max?: string | undefined
}

/** A form field as the API describes it. */
export interface ApiFormField {
  readonly _key: string
  readonly custom_field_key: string
  readonly type: FieldKind
  readonly name: string
  readonly multiple: boolean
  readonly label: string | null
  readonly hint: string | null
  readonly default_label: string | null
  readonly default_hint: string | null
  readonly default: string | null
  readonly mandatory: boolean
  readonly hidden: boolean
}

/** What a field is called: in this form, else by its custom field. */
export function labelOf(field: Pick<ApiFormField, 'label' | 'default_label' | 'name'>): string {
  return field.label ?? field.default_label ?? field.name
}

export function fieldOf(field: ApiFormField): Field {
  return {
    key: field._key,
    customKey: field.custom_field_key,
    kind: field.type,
    label: labelOf(field),
    hint: field.hint ?? field.default_hint ?? undefined,
    mandatory: field.mandatory,
    multiple: field.multiple,
    hidden: field.hidden,
    default: field.default ?? undefined,
  }
}

export interface Choice {
  readonly _key: string
  readonly value: string
}

export interface FileRef {
  readonly name: string
  readonly size: number
}

/** What is in the input: texts as typed, even if they are no number or date yet. */
export type Draft = null | boolean | string | readonly string[] | Choice | readonly Choice[] | readonly FileRef[]
export type Drafts = Readonly<Partial<Record<string, Draft>>>

const TYPED: ReadonlySet<FieldKind> = new Set(['text', 'number', 'date', 'time'])

export function isTyped(kind: FieldKind): boolean {
  return TYPED.has(kind)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

export function isChoice(value: unknown): value is Choice {
  return isRecord(value) && typeof value._key === 'string'
}

export function isFile(value: unknown): value is FileRef {
  return isRecord(value) && typeof value.name === 'string' && typeof value.size === 'number'
}

export function choicesIn(draft: Draft | undefined): readonly Choice[] {
  if (Array.isArray(draft)) return draft.filter(isChoice)
  return isChoice(draft) ? [draft] : []
}

export function filesIn(draft: Draft | undefined): readonly FileRef[] {
  return Array.isArray(draft) ? draft.filter(isFile) : []
}

export function textsIn(draft: Draft | undefined): readonly string[] {
  if (Array.isArray(draft)) return draft.filter((one): one is string => typeof one === 'string')
  return typeof draft === 'string' ? [draft] : []
}

/** A number with a point, as the language writes it. */
function spelled(text: string, { decimal }: Separators): string {
  return text.replace('.', decimal)
}

/** A stored value as a draft. */
export function draftOf(field: Field, value: unknown, separators: Separators): Draft {
  if (value === null || value === undefined) return firstDraft(field, separators)
  const one = (entry: unknown) =>
    field.kind === 'number' && isDecimal(entry) ? spelled(plain(entry), separators) : String(entry)
  if (isTyped(field.kind)) return Array.isArray(value) ? value.map(one) : one(value)
  if (field.kind === 'boolean' || field.kind === 'ternary') return typeof value === 'boolean' ? value : null
  if (field.kind === 'choice') return Array.isArray(value) ? value.filter(isChoice) : isChoice(value) ? value : null
  return Array.isArray(value) ? value.filter(isFile) : null
}

/** What an input holds before anybody has answered: the default, if the field has one that can be typed. */
function firstDraft(field: Field, separators: Separators): Draft {
  if (field.default === undefined || field.multiple) return null
  if (field.kind === 'number') return spelled(field.default, separators)
  if (isTyped(field.kind)) return field.default
  if (field.kind === 'boolean' || field.kind === 'ternary')
    return field.default === 'true' ? true : field.default === 'false' ? false : null
  return null
}

/** A thousand in groups, or three decimals: `1.250` in Italian, `1,250` in English. People mean the one or the other. */
function isAmbiguous(text: string, { group }: Separators): boolean {
  if (group !== '.' && group !== ',') return false
  const [whole = '', three = '', ...more] = text.trim().replace(/^[+-]/, '').split(group)
  return more.length === 0 && /^[1-9]\d{0,2}$/.test(whole) && /^\d{3}$/.test(three)
}

/** Drafts that were typed in one language, in another: `1.375` in English is `1,375` in Italian. What is no number stays as it is. */
export function respelled(fields: readonly Field[], drafts: Drafts, from: Separators, to: Separators): Drafts {
  if (from.decimal === to.decimal && from.group === to.group) return drafts
  const one = (text: string) => {
    const number = parse(text, from)
    return number === null ? text : spelled(number, to)
  }
  const numbers = fields.filter(({ key, kind }) => kind === 'number' && drafts[key] !== undefined)
  const again = numbers.map(({ key }) => {
    const texts = textsIn(drafts[key]).map(one)
    return [key, Array.isArray(drafts[key]) ? texts : (texts[0] ?? null)] as const
  })
  return { ...drafts, ...Object.fromEntries(again) }
}

export interface FieldFault {
  readonly key: TextKey
  readonly values?: Readonly<Record<string, string | number>>
}

/** A value to send, or what is wrong. */
export type Read = { readonly value: unknown } | { readonly fault: FieldFault }

const LONGEST = 10_000

function readText(text: string, kind: FieldKind, field: Field, separators: Separators): Read {
  if (kind === 'number') return readNumber(text, field, separators)
  if (kind === 'date') return /^\d{4}-\d\d-\d\d$/.test(text) ? { value: text } : { fault: { key: 'ui.form.date' } }
  if (kind === 'time') return /^\d\d:\d\d(:\d\d)?$/.test(text) ? { value: text } : { fault: { key: 'ui.form.time' } }
  const length = [...text].length
  return length > LONGEST ? { fault: { key: 'ui.form.long', values: { count: LONGEST } } } : { value: text }
}

/** Both numbers that an ambiguous text may stand for, as they can't be mistaken. */
function twoReadings(text: string, { group, decimal }: Separators): FieldFault {
  const unsigned = text.replace(/^\+/, '')
  return {
    key: 'typed.twoNumbers',
    values: { text, whole: unsigned.replace(group, ''), fraction: unsigned.replace(group, decimal) },
  }
}

function readNumber(typed: string, field: Field, separators: Separators): Read {
  if (isAmbiguous(typed, separators)) return { fault: twoReadings(typed, separators) }
  const text = parse(typed, separators)
  if (text === null) return { fault: { key: 'ui.form.number' } }
  const [whole = '', fraction = ''] = text.replace(/^-/, '').split('.')
  if (whole.length > 15 || fraction.length > 12) return { fault: { key: 'ui.form.digits' } }
  if (field.min !== undefined && compare(text, field.min) < 0)
    return { fault: { key: 'ui.form.min', values: { min: field.min } } }
  if (field.max !== undefined && compare(text, field.max) > 0)
    return { fault: { key: 'ui.form.max', values: { max: field.max } } }
  return { value: rawNumber(text) }
}

function readTexts(field: Field, texts: readonly string[], separators: Separators): Read {
  const reads = texts
    .filter((text) => text.trim() !== '')
    .map((text) => readText(text.trim(), field.kind, field, separators))
  const fault = reads.find((read) => 'fault' in read)
  if (fault) return fault
  const values = reads.flatMap((read) => ('value' in read ? [read.value] : []))
  if (field.multiple) return { value: values.length === 0 ? null : values }
  return { value: values[0] ?? null }
}

function readAny(field: Field, draft: Draft | undefined, separators: Separators): Read {
  if (isTyped(field.kind)) return readTexts(field, textsIn(draft), separators)
  if (field.kind === 'choice') {
    const keys = choicesIn(draft).map(({ _key }) => ({ _key }))
    if (field.multiple) return { value: keys.length === 0 ? null : keys }
    return { value: keys[0] ?? null }
  }
  if (field.kind === 'files') {
    const files = filesIn(draft)
    return { value: files.length === 0 ? null : files }
  }
  return { value: typeof draft === 'boolean' ? draft : null }
}

function isFilled(field: Field, value: unknown): boolean {
  return field.kind === 'boolean' ? value === true : value !== null
}

/** The value of a draft, as the API takes it. A mandatory field that is not filled is a fault. */
export function readDraft(field: Field, draft: Draft | undefined, separators: Separators): Read {
  if (field.kind === 'separator') return { value: null }
  const read = readAny(field, draft, separators)
  if ('fault' in read || !field.mandatory || isFilled(field, read.value)) return read
  return { fault: { key: field.kind === 'boolean' ? 'ui.form.tick' : 'ui.form.missing' } }
}

/** The fields that people see and answer. */
export function questionsOf(fields: readonly Field[]): readonly Field[] {
  return fields.filter(({ hidden, kind }) => !hidden && kind !== 'separator')
}

/** What is wrong, field by field. */
export function faultsOf(fields: readonly Field[], drafts: Drafts, separators: Separators): Map<string, FieldFault> {
  const faults = new Map<string, FieldFault>()
  for (const field of questionsOf(fields)) {
    const read = readDraft(field, drafts[field.key], separators)
    if ('fault' in read) faults.set(field.key, read.fault)
  }
  return faults
}

export interface FormEntry {
  readonly form_field_key: string
  readonly value: unknown
}

/** The form data to send. What cannot be read is left out; look at `faultsOf` first. Hidden fields are the server's. */
export function formData(fields: readonly Field[], drafts: Drafts, separators: Separators): FormEntry[] {
  return questionsOf(fields).flatMap((field) => {
    const read = readAny(field, drafts[field.key], separators)
    return 'value' in read ? [{ form_field_key: field.key, value: read.value }] : []
  })
}
