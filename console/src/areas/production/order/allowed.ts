/*
 * What may be done to an order and its jobs by the rules of production, and why not. Rights are another matter.
 */

import { add, compare, subtract } from '@/api/decimal'
import type { PlainKey } from '@/app/texts'
import type { Job, Order } from '../orders'

/** Null: allowed. Otherwise the words that say why not. */
export type Refusal = PlainKey | null

export function refuseDelete(order: Pick<Order, 'status'>): Refusal {
  return order.status === 'created' ? null : 'production.why.started'
}

export function openJobs(order: Pick<Order, 'jobs'>): Job[] {
  return order.jobs.filter((job) => job.stage !== 'closed')
}

export function refuseClose(order: Pick<Order, 'jobs' | 'status'>): Refusal {
  if (order.status === 'closed') return 'production.why.closed'
  return (
    openJobs(order)
      .map(refuseCloseJob)
      .find((refusal) => refusal !== null) ?? null
  )
}

export function refuseCloseJob(job: Job): Refusal {
  if (job.stage === 'closed') return 'production.why.jobClosed'
  if (job.active) return 'production.why.active'
  return job.active_batch_key === null ? null : 'production.why.batchOpen'
}

export function refusePause(job: Job): Refusal {
  return job.active ? null : 'production.why.idle'
}

export function refuseCancelBatch(job: Job): Refusal {
  if (job.active) return 'production.why.active'
  return job.active_batch_key === null ? 'production.why.noBatch' : null
}

export function refuseReset(job: Job): Refusal {
  if (job.stage === 'created') return 'production.why.notStarted'
  return job.active ? 'production.why.active' : null
}

export function refuseAssign(job: Job): Refusal {
  if (job.stage === 'closed') return 'production.why.jobClosed'
  return job.active ? 'production.why.active' : null
}

/** Without a list of jobs, another quantity needs one job in each phase. */
export function refuseQuantity(order: Pick<Order, 'jobs' | 'phase_sequence'>): Refusal {
  return order.jobs.length > order.phase_sequence.length ? 'production.why.split' : null
}

/** What of a job is neither made nor in work: as much can become another job. */
export function divisible(job: Job): string {
  return subtract(job.qt_planned, add(job.qt_completed, job.qt_scrap, job.active_batch_qt))
}

export function refuseSplit(job: Job): Refusal {
  if (job.stage === 'closed') return 'production.why.jobClosed'
  return compare(divisible(job), 0) > 0 ? null : 'production.why.nothingLeft'
}
