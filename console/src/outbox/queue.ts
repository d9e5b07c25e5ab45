/*
 * What the outbox holds, as plain data, and what each answer makes of it. outbox.ts sends and stores.
 */

import type { ApiFailure, Fault } from '@/api/faults'

export type OutboxMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface OutboxRequest {
  method: OutboxMethod
  /** Below `/api`, with parameters filled in: `/event`. */
  path: string
  /** JSON as it goes over the line, digit by digit: what is stored and read again is not parsed. */
  body?: string
  /** Entries of the same group wait for each other: while one is refused, the later ones are held back. */
  group?: string
  /** `drop`: whoever queued it shows a refusal at once; it is kept only if nobody is there any more. */
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

export interface OutboxEntry {
  /** Its `Idempotency-Key`, the same for every attempt. */
  key: string
  user_key: string
  /** What it is, in words for the list: "Complete step Torque". */
  label: string
  request: OutboxRequest
  queuedAt: number
  /** When it was first sent; null if never. */
  sentAt: number | null
  /** Set if the service refused it. */
  refusal: Refusal | null
}

/** The service remembers keys for 24 hours; an hour less covers clocks that differ. */
export const keyLife = 23 * 3_600_000

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
