/*
 * The steps of a batch: which are done, which is on the screen, which may be opened.
 */

import type { Batch, Job, Step, StepRecord } from '../model'

export interface StepView {
  readonly step: Step
  readonly done: boolean
  /** Done, and flagged for somebody to look at. */
  readonly critical: boolean
  readonly recordKey: string | null
  /** What the service has: of a step that is done, or of an earlier draft. */
  readonly stored: StepRecord['form_data']
}

type JobSteps = Pick<Job, 'step_sequence' | 'parameters'>

/** Where each step is confirmed by an event, the batch says what is done; otherwise `through` does, until the batch is completed. */
export function stepsOf(
  job: JobSteps,
  batch: Pick<Batch, 'step_data'> | null,
  through: readonly string[],
  flagged: readonly string[],
): StepView[] {
  const records = new Map(batch?.step_data.map((record) => [record._key, record]))
  const checked = job.parameters.step_check
  return job.step_sequence.map((step) => {
    const record = records.get(step._key)
    const done = checked ? record?.done === true : through.includes(step._key)
    return {
      step,
      done,
      critical: done && checked ? record?.critical === true : flagged.includes(step._key),
      recordKey: record?.execution_record_key ?? null,
      stored: record?.form_data ?? [],
    }
  })
}

/** Whether a step may be opened: where the order is forced, only what is done and the first that is not. */
export function mayOpen(steps: readonly StepView[], at: number, forced: boolean): boolean {
  const step = steps[at]
  if (!step) return false
  return !forced || step.done || steps.slice(0, at).every((one) => one.done)
}

/** The step on the screen: the chosen one if it may be opened, else the first that is not done; null if all are. */
export function stepAt(steps: readonly StepView[], chosen: string | null, forced: boolean): number | null {
  const wanted = steps.findIndex((one) => one.step._key === chosen)
  if (wanted >= 0 && mayOpen(steps, wanted, forced)) return wanted
  const first = steps.findIndex((one) => !one.done)
  return first >= 0 ? first : null
}

export function isLastOpen(steps: readonly StepView[], at: number): boolean {
  return steps.every((one, index) => one.done || index === at)
}
