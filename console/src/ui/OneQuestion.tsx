import { Button } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useText } from '@/i18n'
import { Answer, type Draft, type FormFieldsProps, questionsOf, useFormReader } from './FormFields'

interface OneQuestionProps extends Omit<FormFieldsProps, 'faults'> {
  /** Faults that the server found; the first one's question is shown. */
  readonly faults?: ReadonlyMap<string, string>
  /** After the last answer. */
  readonly onDone: () => void
  /** The word on the button behind the last question. */
  readonly doneLabel?: string
  readonly busy?: boolean
}

/** A form for the floor: one question on the screen, large; a tap on an answer goes on. */
export function OneQuestion(props: OneQuestionProps) {
  const { fields, drafts, onChange, onDone, faults: given, busy = false } = props
  const t = useText()
  const reader = useFormReader(fields)
  const questions = questionsOf(fields)
  const [at, setAt] = useState(0)
  const [asked, setAsked] = useState<ReadonlySet<string>>(new Set())
  const place = useRef<HTMLFormElement>(null)
  const wrong = given ? questions.findIndex(({ key }) => given.has(key)) : -1
  useEffect(() => {
    if (wrong >= 0) setAt(wrong)
  }, [wrong])
  const field = questions[Math.min(at, questions.length - 1)]
  const shownKey = field?.key
  useEffect(() => {
    if (shownKey !== undefined) place.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus()
  }, [shownKey])
  if (field === undefined) return null

  const own = reader.faults(drafts).get(field.key)
  const error = given?.get(field.key) ?? (asked.has(field.key) ? own : undefined)
  const last = at >= questions.length - 1
  const next = () => (last ? onDone() : setAt(at + 1))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setAsked(new Set([...asked, field.key]))
    if (own === undefined) next()
  }
  const answer = (draft: Draft) => {
    onChange(field.key, draft)
    const tapped = !field.multiple && (field.kind === 'ternary' || field.kind === 'choice') && draft !== null
    if (tapped && !last) setAt(at + 1)
  }
  return (
    <form className="tw-question" ref={place} onSubmit={submit} noValidate>
      {questions.length > 1 && (
        <p className="tw-question-place">{t('ui.form.question', { number: at + 1, total: questions.length })}</p>
      )}
      <div className="tw-question-body" key={field.key}>
        <Answer field={field} draft={drafts[field.key]} onChange={answer} error={error} upload={props.upload} focused />
      </div>
      <div className="tw-question-buttons">
        {at > 0 && (
          <Button variant="default" onClick={() => setAt(at - 1)}>
            {t('ui.back')}
          </Button>
        )}
        <Button type="submit" loading={busy}>
          {last ? (props.doneLabel ?? t('ui.done')) : t('ui.next')}
        </Button>
      </div>
    </form>
  )
}
