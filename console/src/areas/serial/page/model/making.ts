/*
 * How a unit was made: its phases in their order, in each the steps that were carried out, and with each step the values that were entered
 * there. Values that belong to no phase come first.
 */

import type { Schemas } from '@/api'
import type { Field } from './past'

type Step = Schemas['RecordStep']
type Phase = Schemas['RecordDates']['phases'][number]

export interface MadeStep {
  readonly key: string
  readonly title: string | null
  readonly status: Schemas['StepStatus'] | null
  readonly at: string | null
  readonly by: string | null
  readonly fields: readonly Field[]
}

export interface MadePhase {
  readonly key: string
  readonly alias: string | null
  readonly start: string | null
  readonly end: string | null
  readonly steps: readonly MadeStep[]
  /** Values of the phase that belong to no step which was carried out. */
  readonly fields: readonly Field[]
}

export interface Making {
  readonly own: readonly Field[]
  readonly phases: readonly MadePhase[]
}

interface MakingInput {
  readonly fields: readonly Field[]
  readonly steps: readonly Step[]
  readonly phases: readonly Phase[]
}

function until(at: string | null, time: number | undefined): boolean {
  return time === undefined || (at !== null && Date.parse(at) <= time)
}

/** The last record of each step: one that was carried out twice, in a batch that was taken back, counts once. */
function latest(steps: readonly Step[]): Step[] {
  const found = new Map<string, Step>()
  for (const step of steps) {
    const before = found.get(step.step_key)
    if (before === undefined || (step.timestamp ?? '') >= (before.timestamp ?? '')) found.set(step.step_key, step)
  }
  return [...found.values()]
}

function stepsOf(phaseKey: string, steps: readonly Step[], fields: readonly Field[]): MadeStep[] {
  return steps
    .filter(({ phase_key }) => phase_key === phaseKey)
    .map((step) => ({
      key: step.step_key,
      title: step.step_title,
      status: step.status,
      at: step.timestamp,
      by: step.operator_name || null,
      fields: fields.filter(({ step_key }) => step_key === step.step_key),
    }))
}

/** The making up to a moment; of values it takes what it is given. */
export function makingAt(input: MakingInput, time: number | undefined): Making {
  const steps = latest(input.steps.filter(({ timestamp }) => until(timestamp, time)))
  const dates = new Map(input.phases.map((phase) => [phase.phase_key, phase]))
  const keys = new Set<string>()
  for (const { phase_key } of [...input.phases, ...input.steps, ...input.fields]) if (phase_key) keys.add(phase_key)
  const phases = [...keys].map((key): MadePhase => {
    const fields = input.fields.filter(({ phase_key }) => phase_key === key)
    const made = stepsOf(key, steps, fields)
    const placed = new Set(made.flatMap((step) => step.fields))
    const date = dates.get(key)
    const start = date && until(date.start, time) ? date.start : null
    return {
      key,
      alias: date?.phase_alias ?? aliasOf(key, input),
      start,
      end: date && until(date.end, time) ? date.end : null,
      steps: made,
      fields: fields.filter((field) => !placed.has(field)),
    }
  })
  return { own: input.fields.filter(({ phase_key }) => phase_key === null), phases }
}

function aliasOf(phaseKey: string, { steps, fields }: MakingInput): string | null {
  return [...steps, ...fields].find(({ phase_key }) => phase_key === phaseKey)?.phase_alias ?? null
}

/** Whether a value is filled, as the service sees it: a box that has to be ticked is only filled once it is. */
export function isFilled(field: Pick<Field, 'value' | 'field_type'>): boolean {
  const { value, field_type } = field
  if (value === null || value === undefined) return false
  if (field_type === 'boolean') return value === true
  if (Array.isArray(value)) return value.length > 0
  return typeof value !== 'string' || value.trim() !== ''
}
