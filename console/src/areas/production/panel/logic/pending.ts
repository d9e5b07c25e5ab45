/*
 * What has been done here and not been sent yet, laid over what the service knew last. Only for a line that is cut: as long as the
 * service answers, its answer is waited for.
 */

import { parseExact } from '@/api/json'
import type { OutboxEntry } from '@/outbox'
import type { Batch, JobDetail } from '../model'
import type { At } from './events'

type Body = Readonly<Record<string, unknown>>

function bodyOf(entry: OutboxEntry): Body {
  const body = parseExact(entry.request.body ?? 'null')
  return typeof body === 'object' && body !== null ? (body as Body) : {}
}

/** The entries of one job, oldest first. */
export function entriesOf(entries: readonly OutboxEntry[], jobKey: string): OutboxEntry[] {
  return entries.filter((entry) => bodyOf(entry).job_key === jobKey)
}

/** When work has to begin again so that what was refused meanwhile falls into it: with the first of that, but not before it last ended.
 * Null if nothing was refused: then it begins now. */
export function beginsAt(refused: readonly OutboxEntry[], ...ended: (string | null | undefined)[]): At | null {
  const times = refused.flatMap((entry) => {
    const { timestamp } = bodyOf(entry)
    return typeof timestamp === 'string' ? [Date.parse(timestamp)] : []
  })
  if (times.length === 0) return null
  const ends = ended.flatMap((text) => (text ? [Date.parse(text)] : []))
  return { timestamp: new Date(Math.max(Math.min(...times), ...ends)).toISOString() }
}

export interface Known {
  readonly job: JobDetail
  readonly batch: Batch | null
  /** What comes next depends on an answer. */
  readonly waiting: boolean
}

/** The batch after a step that was completed. */
export function withStep(batch: Batch, body: Body): Batch {
  if (body.batch_key !== batch._key) return batch
  const steps = batch.step_data.map((record) =>
    record._key === body.step_key ? { ...record, done: true, critical: body.critical === true } : record,
  )
  return { ...batch, step_data: steps }
}

function lay({ job, batch, waiting }: Known, body: Body): Known {
  switch (body.event_type) {
    case 'JOB_PAUSED':
    case 'JOB_PAUSE_FORCED':
      return { job: { ...job, active: false }, batch, waiting }
    case 'JOB_RESUMED':
      return job.active_batch_key === null
        ? { job, batch, waiting: true }
        : { job: { ...job, active: true }, batch, waiting }
    case 'STEP_COMPLETED': {
      const after = batch && withStep(batch, body)
      const ends = job.parameters.step_check && after?.step_data.every((record) => record.done)
      return { job, batch: after, waiting: waiting || (ends === true && body.complete_batch !== false) }
    }
    case 'JOB_STARTED':
    case 'JOB_BACK_ONLINE':
    case 'BATCH_COMPLETED':
    case 'ACTIVE_BATCH_CHANGED':
      return { job, batch, waiting: true }
    default:
      return { job, batch, waiting }
  }
}

export function overlay(job: JobDetail, batch: Batch | null, pending: readonly OutboxEntry[]): Known {
  return pending.reduce<Known>((known, entry) => lay(known, bodyOf(entry)), { job, batch, waiting: false })
}
