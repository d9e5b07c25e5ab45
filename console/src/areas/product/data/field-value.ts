import type { Schemas } from '@/api'
import { isDecimal } from '@/api/decimal'
import type { Formats, Text } from '@/i18n'

export type FieldKind = Schemas['FieldKind']

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

function single(t: Text, formats: Formats, kind: FieldKind, value: unknown): string {
  if (typeof value === 'boolean') return value ? t('ui.yes') : t('ui.no')
  if (kind === 'number' && isDecimal(value)) return formats.decimal(value)
  if (kind === 'date' && typeof value === 'string') return formats.date(value)
  if (kind === 'choice') return String(member(value, 'value') ?? value)
  if (kind === 'files') return String(member(value, 'name') ?? value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** What a custom field holds, in words; null if it is empty. */
export function fieldText(t: Text, formats: Formats, kind: FieldKind, value: unknown): string | null {
  const all = (Array.isArray(value) ? value : [value]).filter((one) => one !== null && one !== undefined && one !== '')
  return all.length === 0 ? null : all.map((one) => single(t, formats, kind, one)).join(', ')
}

/** The next code of a counter, if its template is made of texts and digits only. */
export function nextCode(template: readonly string[], tick: number): string | null {
  const parts = template.map((part) => {
    const digits = /^#(\d+)$/.exec(part)?.[1]
    if (digits !== undefined) return String(tick).padStart(Number(digits), '0')
    return /^[#%]/.test(part) ? null : part
  })
  return parts.includes(null) ? null : parts.join('')
}

/** The names of the files in a field of files. */
export function fileNames(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value])
    .map((one) => member(one, 'name'))
    .filter((name): name is string => typeof name === 'string')
}
