import { Textarea, TextInput } from '@mantine/core'
import { type ChangeEvent, useId } from 'react'
import { useText } from '@/i18n'
import { Icon } from '../icons'
import { type Draft, type Field, type FieldKind, textsIn } from './values'

export interface InputProps {
  readonly field: Field
  readonly draft: Draft | undefined
  readonly onChange: (draft: Draft) => void
  readonly error: string | undefined
  /** Takes the focus when it appears: one question at a time. */
  readonly focused?: boolean
}

const TYPES: Readonly<Partial<Record<FieldKind, string>>> = { date: 'date', time: 'time' }

interface OneTextProps {
  readonly field: Field
  readonly text: string
  readonly onText: (text: string) => void
  readonly id: string
  readonly error: boolean
  readonly describedBy: string
  readonly focused: boolean
  readonly label?: string
}

/** One typed answer: text, number, date or time. */
function OneText({ field, text, onText, id, error, describedBy, focused, label }: OneTextProps) {
  const shared = {
    id,
    value: text,
    error,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onText(event.currentTarget.value),
    'aria-label': label,
    'aria-describedby': describedBy,
    'aria-required': field.mandatory,
    'data-autofocus': focused || undefined,
    autoComplete: 'off',
  }
  if (field.kind === 'text') return <Textarea {...shared} className="tw-form-text" rows={1} maxLength={10_000} />
  const numeric = field.kind === 'number'
  return (
    <TextInput
      {...shared}
      className={numeric ? 'tw-form-number' : 'tw-form-date'}
      type={TYPES[field.kind] ?? 'text'}
      inputMode={numeric ? 'decimal' : undefined}
      step={field.kind === 'time' ? 1 : undefined}
    />
  )
}

/** Typed answers: one, or several one below the other. */
export function TextAnswer({ field, draft, onChange, error, focused = false }: InputProps) {
  const t = useText()
  const id = useId()
  const texts = textsIn(draft)
  const shown = texts.length === 0 ? [''] : texts
  if (!field.multiple) {
    return (
      <Labelled field={field} error={error} id={id}>
        <OneText
          field={field}
          text={shown[0] ?? ''}
          onText={onChange}
          id={id}
          error={error !== undefined}
          describedBy={`${id}-more`}
          focused={focused}
        />
      </Labelled>
    )
  }
  const replace = (at: number, text: string) => onChange(shown.map((one, index) => (index === at ? text : one)))
  return (
    <Labelled field={field} error={error} id={`${id}-0`}>
      {places(shown.length).map((at) => (
        <div className="tw-form-many" key={at}>
          <OneText
            field={field}
            text={shown[at] ?? ''}
            onText={(text) => replace(at, text)}
            id={`${id}-${at}`}
            error={error !== undefined}
            describedBy={`${id}-0-more`}
            focused={focused && at === 0}
            label={`${field.label} ${at + 1}`}
          />
          <button
            type="button"
            className="tw-form-icon"
            aria-label={t('ui.form.remove', { name: `${field.label} ${at + 1}` })}
            onClick={() => onChange(shown.filter((_, index) => index !== at))}
          >
            <Icon name="cross" />
          </button>
        </div>
      ))}
      <button type="button" className="tw-form-add" onClick={() => onChange([...shown, ''])}>
        <Icon name="plus" size={14} />
        {t('ui.form.add')}
      </button>
    </Labelled>
  )
}

function places(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at)
}

interface LabelledProps {
  readonly field: Field
  readonly error: string | undefined
  readonly id: string
  readonly children: React.ReactNode
}

/** Label above, hint and fault below. */
export function Labelled({ field, error, id, children }: LabelledProps) {
  return (
    <div className="tw-form-field">
      <label htmlFor={id}>
        <LabelText field={field} />
      </label>
      {children}
      <More field={field} error={error} id={`${id}-more`} />
    </div>
  )
}

export function LabelText({ field }: { field: Field }) {
  const t = useText()
  return (
    <>
      {field.label}
      {field.mandatory && <span className="tw-form-required"> · {t('ui.form.required')}</span>}
    </>
  )
}

export function More({ field, error, id }: { field: Field; error: string | undefined; id: string }) {
  return (
    <div id={id}>
      {field.hint && <p className="tw-form-hint">{field.hint}</p>}
      {error && <p className="tw-form-error">{error}</p>}
    </div>
  )
}
