/*
 * What somebody entered in a form, as text.
 */

import type { Schemas } from '@/api'
import { labelOf } from '@/ui/form/values'

export type TracedField = Schemas['TracedField']
export type TracedRow = Schemas['TraceabilityRow']

/** How values are written: for people by their language, for files plainly. */
export interface ValueWords {
  readonly yes: string
  readonly no: string
  readonly number: (value: string | number) => string
  readonly date: (value: string) => string
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOfRecord(value: Record<string, unknown>): string {
  const shown = value.value ?? value.name
  return typeof shown === 'string' || typeof shown === 'number' ? String(shown) : ''
}

/** A value of any type of field. Nothing entered is the empty text. */
export function valueText(field: { field_type: string; value: unknown }, words: ValueWords): string {
  const { value } = field
  if (Array.isArray(value)) {
    return value
      .map((one) => valueText({ field_type: field.field_type, value: one }, words))
      .filter((one) => one !== '')
      .join(', ')
  }
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (typeof value === 'number') return words.number(value)
  if (typeof value === 'string') return plainText(field.field_type, value, words)
  return isRecord(value) ? textOfRecord(value) : ''
}

function plainText(type: string, value: string, words: ValueWords): string {
  if (type === 'number') return words.number(value)
  return type === 'date' ? words.date(value) : value
}

/** The value of the unit, where it has its own, otherwise that of its batch. */
export function shownValue(field: TracedField): { field_type: string; value: unknown } {
  const { field_type, value, serial_field_value } = field
  return { field_type, value: serial_field_value ?? value }
}

export interface FieldColumn {
  readonly id: string
  readonly label: string
}

interface WithSteps {
  readonly phase_alias: string
  readonly step_sequence: readonly { readonly _key: string; readonly form_fields: readonly FormField[] }[]
}

type FormField = Pick<Schemas['FormField'], '_key' | 'type' | 'label' | 'default_label' | 'name'>

/** One column for each field of the order's forms, named with their phase where two have the same label. */
export function fieldColumns(jobs: readonly WithSteps[]): FieldColumn[] {
  const found = new Map<string, { label: string; phase: string }>()
  for (const job of jobs) {
    for (const step of job.step_sequence) {
      for (const field of step.form_fields) {
        if (field.type === 'separator') continue
        const label = labelOf(field)
        found.set(`${step._key} ${field._key}`, { label, phase: job.phase_alias })
      }
    }
  }
  const times = new Map<string, number>()
  for (const { label } of found.values()) times.set(label, (times.get(label) ?? 0) + 1)
  return [...found].map(([id, { label, phase }]) => ({
    id,
    label: (times.get(label) ?? 0) > 1 ? `${phase}: ${label}` : label,
  }))
}

/** What a row has in the column of a field. */
export function valueIn(row: TracedRow, column: string, words: ValueWords): string {
  const field = row.form_fields.find((one) => `${row.step_key} ${one.form_field_key}` === column)
  return field === undefined ? '' : valueText(shownValue(field), words)
}

/** All that was entered at a step, in one line. */
export function valuesLine(row: TracedRow, words: ValueWords): string {
  return row.form_fields
    .map((field) => ({ label: field.field_label, text: valueText(shownValue(field), words) }))
    .filter(({ text }) => text !== '')
    .map(({ label, text }) => `${label} ${text}`)
    .join(' · ')
}
