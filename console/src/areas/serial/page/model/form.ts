import type { Schemas } from '@/api'
import type { Field } from '@/ui/FormFields'
import type { Field as RecordField } from './past'

/** The values of a unit as fields of a form: how they are filled from the unit, what they are called from its record. */
export function formFieldsOf(
  data: readonly Schemas['SerialFieldValue'][],
  record: readonly RecordField[],
  only?: string,
): Field[] {
  return data.flatMap((entry): Field[] => {
    const { form_field_key: key, custom_field_key: customKey } = entry
    const known = record.find((field) => field.form_field_key === key && field.custom_field_key === customKey)
    const kind = known?.field_type
    if (key === null || customKey === null || !kind || kind === 'separator') return []
    if (only !== undefined && key !== only) return []
    return [
      {
        key,
        customKey,
        kind,
        label: known.label ?? entry.label ?? '',
        hint: entry.hint ?? undefined,
        mandatory: false,
        multiple: entry.multiple ?? false,
        hidden: entry.hidden ?? false,
      },
    ]
  })
}
