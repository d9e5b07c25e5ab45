/*
 * What a work order says about itself: how far, by when, what is wrong.
 */

import type { Schemas } from '@/api'
import { add, compare, type Decimal, isZero, ratio } from '@/api/decimal'
import { dayNumber, dueDay, isDay } from '@/ui/days'
import { jobState, type StateOf } from '@/ui/states'

export type Order = Schemas['WorkOrderRead']
export type Job = Schemas['Job']

/** All jobs of one phase together. */
export interface PhaseSum {
  readonly key: string
  readonly alias: string
  readonly jobs: readonly Job[]
  readonly planned: Decimal
  readonly completed: Decimal
  readonly scrap: Decimal
  /** In the batches that are open. */
  readonly inWork: Decimal
  readonly state: StateOf<'job'>
  /** From 0 to 1, for pictures. */
  readonly share: number
}

function sum(jobs: readonly Job[], of: (job: Job) => Decimal): string {
  return add(...jobs.map(of))
}

function sumPhase(key: string, jobs: readonly Job[]): PhaseSum {
  const planned = sum(jobs, (job) => job.qt_planned)
  const completed = sum(jobs, (job) => job.qt_completed)
  const scrap = sum(jobs, (job) => job.qt_scrap)
  const state = jobState(...jobs)
  return {
    key,
    alias: jobs[0]?.phase_alias ?? '',
    jobs,
    planned,
    completed,
    scrap,
    inWork: sum(jobs, (job) => job.active_batch_qt),
    state,
    share: state === 'closed' ? 1 : ratio(add(completed, scrap), planned),
  }
}

/** The phases in the order of the routing, each with its jobs. */
export function phasesOf(order: Pick<Order, 'phase_sequence' | 'jobs'>): PhaseSum[] {
  const known = new Set(order.phase_sequence)
  const others = order.jobs.map((job) => job.phase_key).filter((key) => !known.has(key))
  const keys = [...order.phase_sequence, ...new Set(others)]
  return keys
    .map((key) => ({ key, jobs: order.jobs.filter((job) => job.phase_key === key) }))
    .filter(({ jobs }) => jobs.length > 0)
    .map(({ key, jobs }) => sumPhase(key, jobs))
}

/** The jobs that somebody works on now. */
export function atWork(order: Pick<Order, 'jobs'>): Job[] {
  return order.jobs.filter((job) => job.active)
}

/** How many days are left until the day on which it is due; negative afterwards. */
export function daysLeft(due: string, now: Date): number {
  return dayNumber(dueDay(due)) - dayNumber(now)
}

/** When the running jobs will be through at the standard pace; null if none tells. */
export function expectedEnd(order: Pick<Order, 'jobs'>): string | null {
  const times = order.jobs.flatMap((job) => (job.estimated_completion === null ? [] : [job.estimated_completion]))
  return times.toSorted().at(-1) ?? null
}

/** Something about an order that somebody should look after. */
export type Trouble =
  | { readonly kind: 'critical' }
  | { readonly kind: 'late'; readonly days: number }
  | { readonly kind: 'risk'; readonly expected: string }
  | { readonly kind: 'issues'; readonly count: number }
  | { readonly kind: 'scrap'; readonly quantity: Decimal }
  | { readonly kind: 'unassigned'; readonly count: number }

interface Dated {
  readonly due_by: string | null
  readonly on_time: boolean
  /** Of an order or a job that is closed. */
  readonly end?: string | null
}

/** Past its due date, or closed after it. A day that it is due on is that of this place, though the service takes it as one of UTC. */
export function isLate({ due_by, on_time, end }: Dated, now = new Date()): boolean {
  const day = due_by === null ? '' : dueDay(due_by)
  return isDay(day) ? dayNumber(end ?? now) > dayNumber(day) : !on_time && due_by !== null
}

/** Running jobs reach beyond the due date, though it is not past yet. */
export function isAtRisk(order: Dated & Pick<Order, 'jobs' | 'status'>, now = new Date()): boolean {
  if (order.due_by === null || isLate(order, now) || order.status === 'closed') return false
  const end = expectedEnd(order)
  return end !== null && Date.parse(end) > Date.parse(order.due_by)
}

function lateness(order: Order, now: Date): Trouble[] {
  if (order.due_by === null) return []
  if (isLate(order, now)) {
    const until = order.end === null ? now : new Date(order.end)
    return [{ kind: 'late', days: Math.max(0, -daysLeft(order.due_by, until)) }]
  }
  return isAtRisk(order, now) ? [{ kind: 'risk', expected: expectedEnd(order) ?? order.due_by }] : []
}

function openIssues(order: Order): number {
  return order.jobs.reduce((most, job) => Math.max(most, job.issues_open), 0)
}

/** What is wrong, the worst first. `unassigned`: jobs that nobody may start because they have no operator. */
export function troublesOf(order: Order, now: Date, assigneeNeeded = false): Trouble[] {
  const open = order.jobs.filter((job) => job.stage !== 'closed')
  const unassigned = assigneeNeeded ? open.filter((job) => job.assigned_to === null).length : 0
  const issues = openIssues(order)
  return [
    ...(order.critical ? [{ kind: 'critical' } as const] : []),
    ...lateness(order, now),
    ...(issues > 0 && !order.critical ? [{ kind: 'issues', count: issues } as const] : []),
    ...(isZero(order.qt_scrap) ? [] : [{ kind: 'scrap', quantity: order.qt_scrap } as const]),
    ...(unassigned > 0 ? [{ kind: 'unassigned', count: unassigned } as const] : []),
  ]
}

/** Whether more is planned than was made and scrapped. */
export function isUnderPlan(job: Pick<Job, 'qt_planned' | 'qt_completed' | 'qt_scrap'>): boolean {
  return compare(add(job.qt_completed, job.qt_scrap), job.qt_planned) < 0
}
