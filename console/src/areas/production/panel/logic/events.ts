/*
 * The events that the panel sends, as the service takes them. Each names its job, so that what waits in the outbox can be told apart.
 */

import type { Schemas } from '@/api'
import { type Decimal, isZero, plain } from '@/api/decimal'
import type { FormEntry } from '@/ui/FormFields'
import { type Mark, passes, scrapKeys, scrapQt, scrapReason } from './scrap'

export type SentEvent = Schemas['SentEvent']

/** When it happened, by the clock of the service; absent: when it arrives. */
export interface At {
  readonly timestamp?: string
}

export type UnitName = { serial_key: string } | { serial_code: string }

function named(units: readonly UnitName[]): { batch_serials?: UnitName[] } {
  return units.length === 0 ? {} : { batch_serials: [...units] }
}

export function jobStarted(jobKey: string, units: readonly UnitName[], at: At): SentEvent {
  return { event_type: 'JOB_STARTED', job_key: jobKey, ...named(units), ...at }
}

/** Goes on with the batch that was paused, or begins the next one; only that may name units. */
export function jobResumed(jobKey: string, units: readonly UnitName[], at: At): SentEvent {
  return { event_type: 'JOB_RESUMED', job_key: jobKey, ...named(units), ...at }
}

export function jobPaused(jobKey: string, sessionKey: string | null, at: At): SentEvent {
  return { event_type: 'JOB_PAUSED', job_key: jobKey, ...(sessionKey ? { work_session_key: sessionKey } : {}), ...at }
}

/** For a supervisor, where somebody else is at work. */
export function jobPauseForced(jobKey: string, sessionKey: string | null, at: At): SentEvent {
  const session = sessionKey ? { work_session_key: sessionKey } : {}
  return { event_type: 'JOB_PAUSE_FORCED', job_key: jobKey, ...session, ...at }
}

/** After silence: `since` is the last sign of life if work went on all the time; without it, work goes on now. */
export function jobBackOnline(jobKey: string, since: string | null): SentEvent {
  return { event_type: 'JOB_BACK_ONLINE', job_key: jobKey, ...(since === null ? {} : { timestamp: since }) }
}

export interface StepDone {
  readonly jobKey: string
  readonly batchKey: string
  readonly stepKey: string
  readonly data: readonly FormEntry[]
  readonly critical: boolean
  /** False: the batch stays open even if this is the last step. */
  readonly ends: boolean
}

export function stepCompleted(step: StepDone, at: At): SentEvent {
  return {
    event_type: 'STEP_COMPLETED',
    job_key: step.jobKey,
    batch_key: step.batchKey,
    step_key: step.stepKey,
    form_data: [...step.data],
    critical: step.critical,
    complete_batch: step.ends,
    ...at,
  }
}

export function stepEdited(jobKey: string, recordKey: string, data: readonly FormEntry[], at: At): SentEvent {
  return {
    event_type: 'STEP_EDITED',
    job_key: jobKey,
    execution_record_key: recordKey,
    form_data: [...data],
    ...at,
  }
}

export interface BatchDone {
  readonly jobKey: string
  readonly batchKey: string
  readonly total: Decimal
  readonly marks: readonly Mark[]
  /** The values of all steps, where they are not confirmed one by one. */
  readonly steps: readonly { key: string; data: readonly FormEntry[]; critical: boolean }[] | null
}

/** Passed and scrapped add up to the batch. Units are scrapped by name, other things by number. */
export function batchCompleted({ jobKey, batchKey, total, marks, steps }: BatchDone, at: At): SentEvent {
  const keys = scrapKeys(marks)
  const scrapped = isZero(scrapQt(marks))
    ? {}
    : {
        ...(keys.length > 0 ? { scrap_serial_keys: keys } : { scrap_qt: scrapQt(marks) }),
        scrap_reason: scrapReason(marks),
      }
  const values = steps?.map(({ key, data, critical }) => ({ step_key: key, form_data: [...data], critical }))
  return {
    event_type: 'BATCH_COMPLETED',
    job_key: jobKey,
    active_batch_key: batchKey,
    completed_batch_qt: passes(total, marks),
    ...scrapped,
    ...(values && values.length > 0 ? { step_data: values } : {}),
    ...at,
  }
}

export function batchChanged(jobKey: string, quantity: Decimal, units: readonly UnitName[], at: At): SentEvent {
  const size = plain(quantity)
  return { event_type: 'ACTIVE_BATCH_CHANGED', job_key: jobKey, new_active_batch_qt: size, ...named(units), ...at }
}

export function unitLabelled(unitKey: string, code: string, at: At): SentEvent {
  const rest = { remove_data_from_phases: [], unrelease: false, unscrap: false }
  return { event_type: 'SERIAL_UPDATED', serial_key: unitKey, serial_code: code, ...rest, ...at }
}

const TITLE = 200

export interface ReportedIssue {
  readonly typeKey: string | null
  readonly title: string
  readonly note: string
  readonly job: { _key: string; wo_key: string; product_key: string; phase_key: string }
  readonly unitKey: string | null
}

export function issueCreated({ typeKey, title, note, job, unitKey }: ReportedIssue, at: At): SentEvent {
  const subjects: Schemas['NewIssue']['linked_to'] = [
    { type: 'job', key: job._key },
    { type: 'work_order', key: job.wo_key },
    { type: 'product', key: job.product_key },
    { type: 'phase', key: job.phase_key },
  ]
  if (unitKey !== null) subjects.push({ type: 'serial', key: unitKey })
  const head = [...title].slice(0, TITLE).join('')
  const text = note.trim()
  return {
    event_type: 'ISSUE_CREATED',
    issue_data: {
      ...(typeKey === null ? {} : { issue_type_key: typeKey }),
      title: head,
      ...(text === '' || text === head ? {} : { description: text }),
      open: true,
      linked_to: subjects,
    },
    ...at,
  }
}
