/*
 * Values of forms in words. Choices and files carry their names; what has none is left out, since keys are never shown.
 */

import type { Formats } from '@/i18n'

export interface Field {
  readonly label: string | null
  readonly mandatory: boolean
  readonly type?: string | null
  readonly hidden?: boolean
  readonly value?: unknown
}

export interface Wording {
  readonly yes: string
  readonly no: string
  readonly formats: Pick<Formats, 'decimal' | 'date'>
}

export interface FieldWords {
  readonly label: string
  /** Null: mandatory, and not filled in yet. */
  readonly words: string | null
}

function nameIn(value: object): string | null {
  const { value: choice, name } = value as { value?: unknown; name?: unknown }
  if (typeof choice === 'string') return choice
  return typeof name === 'string' ? name : null
}

function wordsOf(type: string | null | undefined, value: unknown, { yes, no, formats }: Wording): string | null {
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'boolean') return value ? yes : no
  if (typeof value === 'number' || (type === 'number' && typeof value === 'string')) return formats.decimal(value)
  if (typeof value === 'object') return nameIn(value)
  const text = String(value)
  const isDate = type === 'date' || (!type && /^\d{4}-\d{2}-\d{2}$/.test(text))
  return isDate ? formats.date(text) : text
}

/** What is filled in, and what still has to be. */
export function fieldWords(fields: readonly Field[], wording: Wording): FieldWords[] {
  return fields.flatMap(({ label, type, value, mandatory, hidden }): FieldWords[] => {
    if (label === null || hidden || type === 'separator') return []
    const all = (Array.isArray(value) ? value : [value]).flatMap((one) => wordsOf(type, one, wording) ?? [])
    if (all.length > 0) return [{ label, words: all.join(', ') }]
    const isEmpty =
      value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
    return mandatory && isEmpty ? [{ label, words: null }] : []
  })
}
