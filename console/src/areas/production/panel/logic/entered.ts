/*
 * What was answered at the steps of a batch, to be read again before it ends.
 */

import { choicesIn, type Draft, type Field, filesIn, textsIn } from '@/ui/form/values'
import type { Answers } from './answers'
import type { StepView } from './steps'

export interface Words {
  readonly yes: string
  readonly no: string
  readonly date: (day: string) => string
}

export interface EnteredAnswer {
  readonly key: string
  readonly label: string
  /** Null if the question was left open. */
  readonly words: string | null
}

export interface EnteredStep {
  readonly key: string
  readonly title: string
  readonly critical: boolean
  readonly answers: readonly EnteredAnswer[]
}

/** An answer as people read it; null if there is none. */
export function answerWords(field: Pick<Field, 'kind'>, draft: Draft | undefined, words: Words): string | null {
  if (typeof draft === 'boolean') return draft ? words.yes : words.no
  const texts = textsIn(draft).filter((text) => text.trim() !== '')
  const shown = field.kind === 'date' ? texts.map(words.date) : texts
  const all = [...shown, ...choicesIn(draft).map(({ value }) => value), ...filesIn(draft).map(({ name }) => name)]
  return all.length === 0 ? null : all.join(', ')
}

/** The steps that ask something, with their answers. A step alone is there whatever it asks: no list of steps leads to it. */
export function enteredAt(
  steps: readonly StepView[],
  answersAt: (at: number) => Answers | null,
  words: Words,
): EnteredStep[] {
  return steps.flatMap(({ step, critical }, at) => {
    const { questions = [], drafts = {} } = answersAt(at) ?? {}
    if (questions.length === 0 && steps.length > 1) return []
    const answers = questions.map((field) => ({
      key: field.key,
      label: field.label,
      words: answerWords(field, drafts[field.key], words),
    }))
    return [{ key: step._key, title: step.title, critical, answers }]
  })
}
