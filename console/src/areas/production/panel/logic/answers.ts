/*
 * What was answered at a step: what somebody typed here, else what the service has.
 */

import type { Separators } from '@/api/decimal'
import { type Draft, type Drafts, draftOf, type Field, type FormEntry, fieldOf, questionsOf } from '@/ui/FormFields'
import { type FieldFault, faultsOf, formData, readDraft, respelled } from '@/ui/form/values'
import type { WorkDraft } from '../drafts'
import type { StepView } from './steps'

type TypedDraft = Pick<WorkDraft, 'answers' | 'separators'>

export interface Answers {
  readonly fields: readonly Field[]
  readonly questions: readonly Field[]
  readonly drafts: Drafts
  readonly faults: ReadonlyMap<string, FieldFault>
  readonly data: readonly FormEntry[]
  /** Something differs from what the service has. */
  readonly changed: boolean
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null)
}

function fieldsOf({ step }: StepView): Field[] {
  return step.type === 'form' ? step.form_fields.map(fieldOf) : []
}

/** What was typed at a step, with numbers as `separators` write them. */
function typedAt(view: StepView, draft: TypedDraft, separators: Separators): Drafts {
  const { _key } = view.step
  const typed = draft.answers[_key] ?? {}
  return respelled(fieldsOf(view), typed, draft.separators[_key] ?? separators, separators)
}

/** The draft with one more answer. The others of the step are written in the same language from now on. */
export function withAnswer(
  view: StepView,
  draft: TypedDraft,
  separators: Separators,
  fieldKey: string,
  value: Draft,
): TypedDraft {
  const { _key } = view.step
  return {
    answers: { ...draft.answers, [_key]: { ...typedAt(view, draft, separators), [fieldKey]: value } },
    separators: { ...draft.separators, [_key]: separators },
  }
}

/** The draft without the answers of a step as they were sent. What was typed there since stays. */
export function withoutSent(
  draft: Pick<TypedDraft, 'answers'>,
  stepKey: string,
  sent: Drafts | undefined,
): Pick<TypedDraft, 'answers'> {
  const { [stepKey]: typed, ...answers } = draft.answers
  return { answers: same(typed, sent) ? answers : draft.answers }
}

export function answersOf(view: StepView, draft: TypedDraft, separators: Separators): Answers {
  const fields = fieldsOf(view)
  const { stored } = view
  const known = new Map(stored.map(({ form_field_key, value }) => [form_field_key, value]))
  const before = Object.fromEntries(
    fields.map((field) => [field.key, draftOf(field, known.get(field.key), separators)] as const),
  )
  const drafts: Drafts = { ...before, ...typedAt(view, draft, separators) }
  const meant = (field: Field, value: Draft | undefined) => {
    const read = readDraft(field, value, separators)
    return 'value' in read ? read.value : value
  }
  return {
    fields,
    questions: questionsOf(fields),
    drafts,
    faults: faultsOf(fields, drafts, separators),
    data: formData(fields, drafts, separators),
    changed: fields.some((field) => !same(meant(field, drafts[field.key]), meant(field, before[field.key]))),
  }
}

/** How many questions are not answered as they should be. */
export function unanswered({ questions, faults }: Pick<Answers, 'questions' | 'faults'>): number {
  return questions.filter(({ key }) => faults.has(key)).length
}

/** The first question that is not answered as it should be; -1 if all are. */
export function firstFault({ questions, faults }: Pick<Answers, 'questions' | 'faults'>): number {
  return questions.findIndex(({ key }) => faults.has(key))
}
