import type { Schemas } from '@/api'
import type { Formats, Text } from '@/i18n'
import { member, textOf } from './model/events'

type Kind = Schemas['FieldKind'] | null

/** A value of a field as people read it; an empty text if there is none. */
export function valueText(t: Text, formats: Formats, kind: Kind, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map((one) => valueText(t, formats, kind, one)).join(', ')
  if (typeof value === 'boolean') return value ? t('ui.yes') : t('ui.no')
  if (typeof value === 'object')
    return textOf(value, 'value') ?? textOf(value, 'name') ?? String(member(value, '_key') ?? '')
  if (kind === 'number') return formats.decimal(String(value))
  if (kind === 'date') return formats.date(String(value))
  return String(value)
}
