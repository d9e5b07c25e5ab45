/*
 * Where on the way through the steps somebody is, and what was answered there.
 */

import { useState } from 'react'
import { separatorsOf } from '@/api/decimal'
import { useFormats } from '@/i18n'
import type { Draft } from '@/ui/FormFields'
import type { WorkDraft } from './drafts'
import { type Answers, answersOf, firstFault, withAnswer } from './logic/answers'
import { type StepView, stepAt, stepsOf } from './logic/steps'
import type { Work } from './use-work'

interface Spot {
  readonly batch: string | null
  readonly step: string | null
  readonly question: number
  /** The step whose faults are shown. */
  readonly asked: string | null
}

export interface Place {
  readonly steps: readonly StepView[]
  /** The step on the screen; null if all are done. */
  readonly at: number | null
  readonly view: StepView | null
  readonly answers: Answers | null
  readonly question: number
  /** The faults of the step are shown. */
  readonly asked: boolean
  /** As they are stored now. */
  readonly answersAt: (at: number) => Answers | null
  readonly open: (stepKey: string | null, question?: number) => void
  readonly go: (question: number) => void
  readonly ask: (stepKey: string, question: number) => void
  readonly answer: (fieldKey: string, draft: Draft) => void
  readonly flag: (stepKey: string) => void
}

function toggled(list: readonly string[], key: string): string[] {
  return list.includes(key) ? list.filter((one) => one !== key) : [...list, key]
}

export function usePlace(work: Work): Place {
  const { job, batch, draft, change } = work
  const { tag } = useFormats()
  const batchKey = batch?._key ?? null
  const start: Spot = { batch: batchKey, step: null, question: 0, asked: null }
  const [kept, setSpot] = useState<Spot>(start)
  const spot = kept.batch === batchKey ? kept : start
  const steps = stepsOf(job, batch, draft.through, draft.flagged)
  const at = stepAt(steps, spot.step, job.parameters.step_check_force_order && job.parameters.step_check)
  const view = at === null ? null : (steps[at] ?? null)
  const separators = separatorsOf(tag)
  const answersIn = (from: WorkDraft, index: number) => {
    const one = steps[index]
    return one ? answersOf(one, from, separators) : null
  }
  const answers = at === null ? null : answersIn(draft, at)
  const last = Math.max((answers?.questions.length ?? 1) - 1, 0)
  const stepKey = view?.step._key ?? null
  return {
    steps,
    at,
    view,
    answers,
    question: spot.step === stepKey || spot.step === null ? Math.min(spot.question, last) : 0,
    asked: stepKey !== null && spot.asked === stepKey,
    answersAt: (index) => answersIn(work.kept().draft, index),
    open: (step, question = 0) => setSpot({ ...start, step, question }),
    go: (question) => setSpot({ ...start, step: stepKey, question }),
    ask: (step, question) => setSpot({ ...start, step, question, asked: step }),
    answer: (fieldKey, value) => {
      if (view !== null) change((old) => withAnswer(view, old, separators, fieldKey, value))
    },
    flag: (step) => change(({ flagged }) => ({ flagged: toggled(flagged, step) })),
  }
}

/** The first step whose answers are not as they should be, and the question there; null if all are fine. */
export function faultyStep({ steps, answersAt }: Place): { step: string; question: number } | null {
  for (const [index, { step }] of steps.entries()) {
    const answers = answersAt(index)
    const question = answers ? firstFault(answers) : -1
    if (question >= 0) return { step: step._key, question }
  }
  return null
}
