import type { Field } from './past'

/** Whether a yes-or-no question was answered with “no”. */
export function isNo(kind: Field['field_type'], value: unknown): boolean {
  return (kind === 'boolean' || kind === 'ternary') && value === false
}

/** The questions that were answered with “no”, by what they are called. */
export function noesIn(fields: readonly Field[]): string[] {
  return fields.flatMap(({ field_type, value, label }) => (isNo(field_type, value) ? [label ?? ''] : []))
}
