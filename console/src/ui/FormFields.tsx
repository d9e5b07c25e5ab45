import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { useMemo } from 'react'
import { separatorsOf } from '@/api/decimal'
import { type Text, useFormats, useText } from '@/i18n'
import { fieldPath } from './fault-paths'
import { ChoiceAnswer } from './form/Choices'
import { FilesAnswer, type Upload } from './form/Files'
import { type InputProps, TextAnswer } from './form/Inputs'
import { TernaryAnswer, TickAnswer } from './form/Switches'
import { type Draft, type Drafts, type Field, type FieldFault, faultsOf, formData } from './form/values'
import './FormFields.css'

export type { Upload } from './form/Files'
export {
  type ApiFormField,
  type Draft,
  type Drafts,
  draftOf,
  type Field,
  type FormEntry,
  fieldOf,
  questionsOf,
} from './form/values'

export interface FormFieldsProps {
  readonly fields: readonly Field[]
  readonly drafts: Drafts
  readonly onChange: (key: string, draft: Draft) => void
  /** Faults by the key of their field, as texts. */
  readonly faults?: ReadonlyMap<string, string>
  /** Stores files; without it files can only be read. */
  readonly upload?: Upload
}

/** All fields of a form, one below the other. Use `useForm` for what is typed and what is wrong. */
export function FormFields({ fields, drafts, onChange, faults, upload }: FormFieldsProps) {
  return (
    <div className="tw-form">
      {fields
        .filter(({ hidden }) => !hidden)
        .map((field) => (
          <div key={field.key} {...fieldPath(field.key)}>
            <Answer
              field={field}
              draft={drafts[field.key]}
              onChange={(draft) => onChange(field.key, draft)}
              error={faults?.get(field.key)}
              upload={upload}
            />
          </div>
        ))}
    </div>
  )
}

/** The input for a field of any type. */
export function Answer({ upload, ...props }: InputProps & { upload: Upload | undefined }) {
  switch (props.field.kind) {
    case 'separator':
      return <h3 className="tw-form-heading">{props.field.label}</h3>
    case 'boolean':
      return <TickAnswer {...props} />
    case 'ternary':
      return <TernaryAnswer {...props} />
    case 'choice':
      return <ChoiceAnswer {...props} />
    case 'files':
      return <FilesAnswer {...props} upload={upload} />
    default:
      return <TextAnswer {...props} />
  }
}

/** What drafts stand for in the language of the page: all faults, and the data to send. */
export function useFormReader(fields: readonly Field[]) {
  const t = useText()
  const { tag } = useFormats()
  return useMemo(() => {
    const separators = separatorsOf(tag)
    return {
      separators,
      faults: (drafts: Drafts) => worded(t, faultsOf(fields, drafts, separators)),
      data: (drafts: Drafts) => formData(fields, drafts, separators),
    }
  }, [fields, t, tag])
}

function worded(t: Text, faults: ReadonlyMap<string, FieldFault>): Map<string, string> {
  const say = t as (key: string, values?: Readonly<Record<string, string | number>>) => string
  return new Map([...faults].map(([field, { key, values }]) => [field, say(key, values)]))
}

interface FormFault {
  readonly form_field_key: string | null
  readonly rule: 'unknown_field' | 'wrong_type' | 'not_in_list' | 'missing'
}

/** The faults of a `FormFieldValueError` of the server (`failure.data.fields`), by field. */
export function serverFaults(t: Text, fields: unknown): Map<string, string> {
  const faults = Array.isArray(fields) ? (fields as FormFault[]) : []
  return new Map(faults.flatMap(({ form_field_key: key, rule }) => (key === null ? [] : [[key, t(`ui.form.${rule}`)]])))
}
