/*
 * What the outbox holds, as plain data, and what each answer makes of it. outbox.ts sends and stores.
 */

import { ApiFailure, type Fault } from '@/api/faults'

export type OutboxMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface OutboxRequest {
  method: OutboxMethod
  /** Below `/api`, with parameters filled in: `/event`. */
  path: string
  /** JSON as it goes over the line, digit by digit: what is stored and read again is not parsed. */
  body?: string
  /** Entries of the same group wait for each other: while one is refused, the later ones are held back. */
  group?: string
  /** `drop`: whoever queued it shows a refusal at once. It is kept all the same if it had to wait for the line, if whoever queued it is
   * gone, or if the group has later entries by then. */
  refused?: 'keep' | 'drop'
}

export interface Refusal {
  status: number
  message: string
  errorType?: string
  faults: Fault[]
  /** It was sent, no answer came, and the service may have forgotten its key by now: only a person can tell whether it was done. */
  uncertain?: boolean
}

/** A refusal that stays on the list, where somebody decides: whoever queued the entry need not show it. */
export class KeptRefusal extends ApiFailure {}

/** The entry is gone by another tab, and nobody knows its answer here: whoever queued it reads again what it has changed. */
export class AnswerMissed extends Error {}

export interface OutboxEntry {
  /** Its `Idempotency-Key`, the same for every attempt. */
  key: string
  user_key: string
  /** For others who use this device; empty in entries of older versions. */
  user_name: string
  /** What it is, in words for the list: "Complete step Torque". */
  label: string
  request: OutboxRequest
  /** Its place in the queue, higher than that of every entry before it; 0 in entries of older versions, which go by their time. */
  order: number
  queuedAt: number
  /** When it was first sent; null if never. */
  sentAt: number | null
  /** Set if the service refused it. */
  refusal: Refusal | null
}

/** The service remembers keys for 24 hours; an hour less covers clocks that differ. */
export const keyLife = 23 * 3_600_000

/** By their places, never by the clock of the device: somebody may set it back. */
export function inOrder(a: OutboxEntry, b: OutboxEntry): number {
  return a.order - b.order || a.queuedAt - b.queuedAt || a.key.localeCompare(b.key)
}

/** The place behind all of these. */
export function nextOrder(entries: readonly OutboxEntry[]): number {
  return entries.reduce((last, entry) => Math.max(last, entry.order), 0) + 1
}

/** Whether later entries of its group wait for this one. */
export function isBuiltOn(entries: readonly OutboxEntry[], entry: OutboxEntry): boolean {
  const { group } = entry.request
  if (group === undefined) return false
  return entries.some(
    (one) => one.user_key === entry.user_key && one.request.group === group && inOrder(entry, one) < 0,
  )
}

/** The next entry to send for a user, in the order of queueing; null if all of them wait for a person. */
export function nextToSend(entries: readonly OutboxEntry[], userKey: string): OutboxEntry | null {
  const held = new Set<string>()
  for (const entry of entries) {
    if (entry.user_key !== userKey) continue
    const { group } = entry.request
    if (group !== undefined && held.has(group)) continue
    if (entry.refusal === null) return entry
    if (group !== undefined) held.add(group)
  }
  return null
}

/** Somebody with entries on this device. */
export interface Owner {
  readonly user_key: string
  /** Empty if nobody noted it. */
  readonly name: string
  readonly count: number
}

export function ownersOf(entries: readonly OutboxEntry[]): Owner[] {
  const owners = new Map<string, Owner>()
  for (const { user_key, user_name } of entries) {
    const before = owners.get(user_key)
    owners.set(user_key, { user_key, name: user_name || (before?.name ?? ''), count: (before?.count ?? 0) + 1 })
  }
  return [...owners.values()]
}

export function isUncertain(entry: OutboxEntry, now: number): boolean {
  return entry.sentAt !== null && now - entry.sentAt > keyLife
}

export function refusalOf(failure: ApiFailure): Refusal {
  const { status, message, errorType, faults } = failure
  return { status, message, errorType, faults }
}

/** How often the service may fail unexpectedly before an entry counts as refused: it must not block the others for ever. */
const unexpectedTries = 3

export type Verdict = 'wait' | 'refused'

/** What a failed attempt means. A token that is over is no refusal: the same person will sign in again. */
export function judge(failure: ApiFailure, tries: number): Verdict {
  if (failure.temporary || failure.tokenEnded || failure.status < 0) return 'wait'
  if (failure.status >= 500) return tries < unexpectedTries ? 'wait' : 'refused'
  return 'refused'
}

export function replace(entries: readonly OutboxEntry[], changed: OutboxEntry): OutboxEntry[] {
  return entries.map((entry) => (entry.key === changed.key ? changed : entry))
}

export function without(entries: readonly OutboxEntry[], key: string): OutboxEntry[] {
  return entries.filter((entry) => entry.key !== key)
}
