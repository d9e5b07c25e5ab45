import { type FormEvent, useEffect, useMemo, useRef } from 'react'
import { api, detail } from '@/api'
import { type Text, useText } from '@/i18n'
import { Answer, serverFaults, type Upload } from '@/ui/FormFields'
import { Icon } from '@/ui/icons'
import { Markdown } from '@/ui/markdown/Markdown'
import { refusalKey, refusals } from '../drafts'
import type { Step } from '../model'
import { useCell } from '../store'
import type { Flow } from '../use-flow'
import type { Work } from '../use-work'
import { Pictures } from './pictures'
import { Rail } from './rail'

/** Files go where the service looks for those of a step. */
function useUpload({ job, batch }: Work, step: Step): Upload {
  return async (files, field) => {
    const form = new FormData()
    for (const file of files) form.append('contents', file)
    form.append('bucket', 'traceability')
    form.append('object_key', job.wo_key)
    form.append('subfolder', [batch?._key, step._key, field.customKey, field.key].join('/'))
    const body = form as unknown as { contents: string[]; bucket: 'traceability'; object_key: string }
    const stored = await detail(
      api.POST('/files', { body: { reset_folder: false, subfolder: '', ...body }, bodySerializer: () => form }),
    )
    return stored.map(({ name, size }) => ({ name, size }))
  }
}

function worded(t: Text, key: string, values?: Readonly<Record<string, string | number>>): string {
  return (t as (key: string, values?: Readonly<Record<string, string | number>>) => string)(key, values)
}

function Question({ flow, step }: { flow: Flow; step: Step }) {
  const t = useText()
  const { place, work } = flow
  const form = useRef<HTMLFormElement>(null)
  const upload = useUpload(work, step)
  const [failure] = useCell(refusals, refusalKey(work.me, work.job._key))
  const given = useMemo(() => serverFaults(t, failure?.data.fields), [t, failure])
  const field = place.answers?.questions[place.question]
  const total = place.answers?.questions.length ?? 0
  const key = field?.key
  useEffect(() => {
    if (key !== undefined) form.current?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true })
  }, [key])
  if (!field || !place.answers) return null
  const fault = place.answers.faults.get(field.key)
  const own = place.asked && fault ? worded(t, fault.key, fault.values) : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    flow.press()
  }
  return (
    <form className="pn-question" ref={form} onSubmit={submit} noValidate>
      {total > 1 && (
        <p className="pn-place">
          {place.question > 0 && (
            <button type="button" aria-label={t('panel.question.back')} onClick={() => place.go(place.question - 1)}>
              <Icon name="left" size={22} />
            </button>
          )}
          {t('ui.form.question', { number: place.question + 1, total })}
        </p>
      )}
      <div key={field.key}>
        <Answer
          field={field}
          draft={place.answers.drafts[field.key]}
          onChange={(draft) => place.answer(field.key, draft)}
          error={given.get(field.key) ?? own}
          upload={work.online ? upload : undefined}
          focused
        />
      </div>
    </form>
  )
}

/** The step on the screen: what to do, as words and picture, and one question. */
export function StepView({ flow }: { flow: Flow }) {
  const t = useText()
  const { view, at } = flow.place
  if (!view || at === null) return null
  const { step, done } = view
  return (
    <section className="pn-step" aria-labelledby="pn-step">
      <Rail flow={flow} />
      <h1 id="pn-step">{step.title}</h1>
      {done && (
        <p className="pn-was">
          <Icon name="done" size={22} />
          {step.type === 'form' ? t('panel.step.wasDone') : t('panel.step.wasDoneInstruction')}
        </p>
      )}
      {(step.description || step.media.length > 0) && (
        <div className="pn-show">
          {step.description && (
            <div className="pn-words">
              <Markdown text={step.description} />
            </div>
          )}
          <Pictures media={step.media} />
        </div>
      )}
      <Question flow={flow} step={step} />
    </section>
  )
}

/** Marks the step on the screen for somebody to look at. */
export function Flag({ flow: { place, work } }: { flow: Flow }) {
  const t = useText()
  const { view } = place
  if (!view || view.done || !(work.mine || work.supervisor)) return null
  const { _key } = view.step
  const flagged = work.draft.flagged.includes(_key)
  return (
    <button type="button" className="pn-flag" aria-pressed={flagged} onClick={() => place.flag(_key)}>
      <Icon name="flagged" size={22} />
      {flagged ? t('panel.step.flagged') : t('panel.step.flag')}
    </button>
  )
}
