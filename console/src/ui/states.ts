import { isZero } from '@/api/decimal'
import type { TextKey } from '@/i18n'
import type { IconName } from './icons'

/** The colours of states; each is a token of tokens.css. */
export type Tone = 'todo' | 'running' | 'waiting' | 'done' | 'critical' | 'built' | 'scrapped'

export interface StateLook {
  readonly tone: Tone
  readonly icon: IconName
}

/** How each state looks, wherever it is shown. The words are in the message files under `ui.state`. */
export const STATES = {
  order: {
    created: { tone: 'todo', icon: 'todo' },
    started: { tone: 'running', icon: 'running' },
    between: { tone: 'running', icon: 'running' },
    paused: { tone: 'waiting', icon: 'paused' },
    closed: { tone: 'done', icon: 'done' },
    withdrawn: { tone: 'scrapped', icon: 'deleted' },
  },
  job: {
    created: { tone: 'todo', icon: 'todo' },
    started: { tone: 'running', icon: 'running' },
    between: { tone: 'running', icon: 'running' },
    paused: { tone: 'waiting', icon: 'paused' },
    closed: { tone: 'done', icon: 'done' },
  },
  batch: {
    active: { tone: 'running', icon: 'running' },
    done: { tone: 'done', icon: 'done' },
    canceled: { tone: 'scrapped', icon: 'deleted' },
  },
  step: {
    to_do: { tone: 'todo', icon: 'todo' },
    done: { tone: 'done', icon: 'done' },
    critical: { tone: 'critical', icon: 'flagged' },
  },
  serial: {
    uncoded: { tone: 'todo', icon: 'uncoded' },
    wip: { tone: 'running', icon: 'running' },
    released: { tone: 'done', icon: 'done' },
    in_stock: { tone: 'done', icon: 'stock' },
    used: { tone: 'built', icon: 'built' },
    scrapped: { tone: 'scrapped', icon: 'scrapped' },
    deleted: { tone: 'scrapped', icon: 'deleted' },
  },
  task: {
    pending: { tone: 'waiting', icon: 'paused' },
    open: { tone: 'running', icon: 'todo' },
    completed: { tone: 'done', icon: 'done' },
    canceled: { tone: 'scrapped', icon: 'deleted' },
  },
  issue: {
    open: { tone: 'waiting', icon: 'issue' },
    critical: { tone: 'critical', icon: 'critical' },
    openCritical: { tone: 'critical', icon: 'critical' },
    closed: { tone: 'done', icon: 'done' },
  },
  place: {
    in_stock: { tone: 'done', icon: 'stock' },
    shipped: { tone: 'built', icon: 'shipped' },
    scrapped: { tone: 'scrapped', icon: 'scrapped' },
    wip: { tone: 'running', icon: 'running' },
    untracked: { tone: 'todo', icon: 'uncoded' },
    none: { tone: 'waiting', icon: 'unknown' },
  },
  built: {
    ok: { tone: 'done', icon: 'done' },
    missing: { tone: 'critical', icon: 'critical' },
    excess: { tone: 'waiting', icon: 'extra' },
    extra: { tone: 'waiting', icon: 'extra' },
    untraced: { tone: 'todo', icon: 'uncoded' },
  },
} as const satisfies Record<string, Record<string, StateLook>>

export type StateKind = keyof typeof STATES
export type StateOf<K extends StateKind> = keyof (typeof STATES)[K] & string

/** The look of a state. A state that a newer server has and we do not know yet looks like one to do. */
export function lookOf<K extends StateKind>(kind: K, state: StateOf<K>): StateLook {
  const looks: Readonly<Partial<Record<string, StateLook>>> = STATES[kind]
  return looks[state] ?? { tone: 'todo', icon: 'unknown' }
}

/** The name of the word for a state. */
export function wordOf<K extends StateKind>(kind: K, state: StateOf<K>): TextKey {
  return `ui.state.${kind}.${state}` as TextKey
}

type Stage = 'created' | 'started' | 'closed'

interface JobParts {
  readonly stage: Stage
  readonly active: boolean
  readonly active_batch_key: string | null
}

interface OrderParts {
  readonly status: Stage
  readonly active: boolean
  readonly jobs: readonly JobParts[]
  readonly qt_completed: string | number
  readonly qt_scrap: string | number
}

/** Of jobs that have begun and stand still together: a batch is done, of this phase or of the one before, and no other has begun, so nobody
 * paused them. */
function isBetweenBatches(jobs: readonly JobParts[]): boolean {
  return jobs.length > 0 && jobs.every((job) => !job.active && job.active_batch_key === null)
}

/** The state of a work order: started, and nobody at work, is paused, unless the next batch can begin; closed before anything was made,
 * it was withdrawn. */
export function orderState({ status, active, jobs, ...made }: OrderParts): StateOf<'order'> {
  if (status === 'closed' && isZero(made.qt_completed) && isZero(made.qt_scrap)) return 'withdrawn'
  if (status !== 'started' || active) return status
  return isBetweenBatches(jobs) ? 'between' : 'paused'
}

/** The state of a job, or of jobs together: running if anybody works, done if all are, to do if none has begun; otherwise paused, unless
 * the next batch can begin. */
export function jobState(...jobs: readonly JobParts[]): StateOf<'job'> {
  if (jobs.some(({ stage, active }) => stage === 'started' && active)) return 'started'
  if (jobs.length > 0 && jobs.every(({ stage }) => stage === 'closed')) return 'closed'
  if (jobs.every(({ stage }) => stage === 'created')) return 'created'
  return isBetweenBatches(jobs) ? 'between' : 'paused'
}

export function batchState(batch: { active: boolean; canceled: string | null }): StateOf<'batch'> {
  if (batch.canceled !== null) return 'canceled'
  return batch.active ? 'active' : 'done'
}

export function issueState(issue: { open: boolean; critical: boolean }): StateOf<'issue'> {
  if (!issue.open) return 'closed'
  return issue.critical ? 'openCritical' : 'open'
}
