import { useId } from 'react'
import { useText } from '@/i18n'
import { type InputProps, LabelText, More } from './Inputs'

/** A box to tick. */
export function TickAnswer({ field, draft, onChange, error, focused = false }: InputProps) {
  const id = useId()
  return (
    <div className="tw-form-field">
      <label className="tw-form-tick">
        <input
          type="checkbox"
          checked={draft === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
          aria-describedby={`${id}-more`}
          aria-required={field.mandatory}
          aria-invalid={error !== undefined}
          data-autofocus={focused || undefined}
        />
        <span>
          <LabelText field={field} />
        </span>
      </label>
      <More field={field} error={error} id={`${id}-more`} />
    </div>
  )
}

/** Yes, no, or not answered yet. */
export function TernaryAnswer({ field, draft, onChange, error, focused = false }: InputProps) {
  const t = useText()
  const name = useId()
  const options = [
    { value: true, word: t('ui.yes') },
    { value: false, word: t('ui.no') },
  ]
  return (
    <fieldset className="tw-form-field tw-form-choices" aria-describedby={`${name}-more`}>
      <legend>
        <LabelText field={field} />
      </legend>
      <div className="tw-form-options">
        {options.map(({ value, word }) => (
          <label key={word} className="tw-form-option" data-answer={value}>
            <input
              type="radio"
              name={name}
              checked={draft === value}
              onChange={() => onChange(value)}
              data-autofocus={(focused && value) || undefined}
            />
            <span>{word}</span>
          </label>
        ))}
        {typeof draft === 'boolean' && (
          <button type="button" className="tw-form-add" onClick={() => onChange(null)}>
            {t('ui.form.clear')}
          </button>
        )}
      </div>
      <More field={field} error={error} id={`${name}-more`} />
    </fieldset>
  )
}
