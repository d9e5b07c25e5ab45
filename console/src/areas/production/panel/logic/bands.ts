/*
 * The queue of an operator in three bands: what runs, what can be started, what is expected.
 */

import { parseTime } from '@/i18n/formats'
import type { Job } from '../model'

export const BANDS = ['running', 'ready', 'expected'] as const
export type Band = (typeof BANDS)[number]

export type Queued = Pick<Job, 'stage' | 'active' | 'active_batch_key' | 'next_batch_available' | 'start_from'>

function isPlannedLater(job: Queued, now: Date): boolean {
  const from = job.start_from === null ? undefined : parseTime(job.start_from)
  return job.stage === 'created' && from !== undefined && from > now
}

/** Where a job stands; null if it is done. A paused batch counts as running: it was begun, and waits for its end. */
export function bandOf(job: Queued, now: Date): Band | null {
  if (job.stage === 'closed') return null
  if (job.active || job.active_batch_key !== null) return 'running'
  return job.next_batch_available && !isPlannedLater(job, now) ? 'ready' : 'expected'
}

export type Expectation = 'later' | 'supply'

/** What an expected job waits for: its planned start, or the phase before. */
export function expectationOf(job: Queued, now: Date): Expectation {
  return isPlannedLater(job, now) ? 'later' : 'supply'
}

export interface Entry {
  readonly job: Job
  /** Assigned to nobody: whoever starts it has it. */
  readonly free: boolean
}

export type Bands = Readonly<Record<Band, readonly Entry[]>>

/** Own jobs first, in the order of the queue; those of nobody behind them. */
export function bandsOf(own: readonly Job[], unassigned: readonly Job[], now: Date): Bands {
  const all = [...own.map((job) => ({ job, free: false })), ...unassigned.map((job) => ({ job, free: true }))]
  const of = (band: Band) => all.filter(({ job }) => bandOf(job, now) === band)
  const running = of('running')
  return {
    running: [...running.filter(({ job }) => job.active), ...running.filter(({ job }) => !job.active)],
    ready: of('ready'),
    expected: of('expected'),
  }
}

/** What to do after a job is done: go on with what was begun, else the first that is ready. */
export function nextJob(bands: Bands, except: string): Job | null {
  const all = [...bands.running, ...bands.ready]
  return all.find(({ job }) => job._key !== except)?.job ?? null
}

/** Of several jobs that fit a scan, the one that is meant: the first in the highest band, own ones before free ones. */
export function meantBy(bands: Bands, fits: (job: Job) => boolean): Job | null {
  for (const band of BANDS) {
    const found = bands[band].find(({ job }) => fits(job))
    if (found) return found.job
  }
  return null
}
