/*
 * Records for tests.
 */

import type { Schemas } from '@/api'

/** A mandatory field of a form, as the API sends it. */
export function formField(
  key: string,
  type: Schemas['FieldKind'],
  rest: Partial<Schemas['FormField']> = {},
): Schemas['FormField'] {
  const base = {
    multiple: false,
    label: null,
    hint: null,
    default_label: null,
    default_hint: null,
    default: null,
    mandatory: true,
    hidden: false,
  }
  return { _key: key, custom_field_key: key, type, name: key, ...base, ...rest }
}
