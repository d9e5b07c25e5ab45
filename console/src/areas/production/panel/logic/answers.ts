/*
 * What was answered at a step: what somebody typed here, else what the service has.
 */

import type { Separators } from '@/api/decimal'
import { type Drafts, draftOf, type Field, type FormEntry, fieldOf, questionsOf } from '@/ui/FormFields'
import { type FieldFault, faultsOf, formData } from '@/ui/form/values'
import type { StepView } from './steps'

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

export function answersOf({ step, stored }: StepView, typed: Drafts | undefined, separators: Separators): Answers {
  const fields = step.type === 'form' ? step.form_fields.map(fieldOf) : []
  const known = new Map(stored.map(({ form_field_key, value }) => [form_field_key, value]))
  const before = fields.map((field) => [field.key, draftOf(field, known.get(field.key), separators)] as const)
  const drafts: Drafts = { ...Object.fromEntries(before), ...typed }
  return {
    fields,
    questions: questionsOf(fields),
    drafts,
    faults: faultsOf(fields, drafts, separators),
    data: formData(fields, drafts, separators),
    changed: before.some(([key, draft]) => !same(drafts[key], draft)),
  }
}

/** The first question that is not answered as it should be; -1 if all are. */
export function firstFault({ questions, faults }: Pick<Answers, 'questions' | 'faults'>): number {
  return questions.findIndex(({ key }) => faults.has(key))
}
