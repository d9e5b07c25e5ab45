/*
 * The jobs of an operator in three bands: running, ready to be taken up, and expected once the phase before has something to give.
 */

import { jobState } from '@/ui/states'

export interface QueuedJob {
  readonly stage: 'created' | 'started' | 'closed'
  readonly active: boolean
  readonly active_batch_key: string | null
  readonly next_batch_available: boolean
}

export type Band = 'running' | 'ready' | 'expected'

export function bandOf(job: QueuedJob): Band {
  if (job.active) return 'running'
  return job.active_batch_key !== null || job.next_batch_available ? 'ready' : 'expected'
}

/** What can be done with a job that is no longer expected. */
export function actOf(job: QueuedJob): 'start' | 'goOn' | 'resume' {
  const state = jobState(job)
  if (state === 'created') return 'start'
  return state === 'paused' ? 'resume' : 'goOn'
}

const BANDS: readonly Band[] = ['running', 'ready', 'expected']

/** What to do next comes first; within a band the order of the queue stays. */
export function byBand<Job extends QueuedJob>(jobs: readonly Job[]): Job[] {
  return BANDS.flatMap((band) => jobs.filter((job) => job.stage !== 'closed' && bandOf(job) === band))
}

/** How many jobs there are in each band. */
export function countBands(jobs: readonly QueuedJob[]): Record<Band, number> {
  const counts = { running: 0, ready: 0, expected: 0 }
  for (const job of byBand(jobs)) counts[bandOf(job)] += 1
  return counts
}
