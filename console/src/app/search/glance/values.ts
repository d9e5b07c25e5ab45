/*
 * Values of forms, as far as they can be read without the form: texts, numbers, dates and yes or no. Others are keys of choices,
 * users and files, which the pages of their own areas show.
 */

export interface FormValue {
  readonly label: string
  readonly value: string | number | boolean
  readonly kind: string
}

interface Field {
  readonly form_field_key: string
  readonly label: string | null
  readonly type?: string | null
  readonly value?: unknown
}

const READABLE: ReadonlySet<string> = new Set(['text', 'number', 'boolean', 'date', 'time'])

export function readable(fields: readonly Field[]): FormValue[] {
  return fields.flatMap(({ label, type, value }) => {
    const known = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    if (!known || value === '' || label === null || !type || !READABLE.has(type)) return []
    return [{ label, value, kind: type }]
  })
}
