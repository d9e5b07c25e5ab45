/*
 * The events of a unit, and how their payloads are read. The payloads of more than eighty types have little in common, so a reader asks for
 * one member and gets it only if it is of the kind it wants.
 */

import type { Schemas } from '@/api'

export type EventType = Schemas['StoredEvent']['event_type']

export interface UnitEvent {
  readonly _key: string
  readonly seq: number
  readonly event_type: EventType
  readonly timestamp: string
  readonly user_key: string
  readonly event_group: string
  readonly source_key: string | null
  readonly description: string | null
  readonly job_key: string | null
  readonly phase_key: string | null
  readonly batch_key: string | null
  readonly work_order_key: string | null
  readonly movement_key: string | null
  readonly issue_key: string | null
  readonly payload: unknown
}

type Member = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Member {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function member(from: unknown, name: string): unknown {
  return isObject(from) ? from[name] : undefined
}

export function textOf(from: unknown, name: string): string | undefined {
  const value = member(from, name)
  return typeof value === 'string' ? value : undefined
}

export function isTrue(from: unknown, name: string): boolean {
  return member(from, name) === true
}

export function listOf(from: unknown, name: string): readonly unknown[] {
  const value = member(from, name)
  return Array.isArray(value) ? value : []
}

export function hasText(from: unknown, name: string, wanted: string): boolean {
  return listOf(from, name).includes(wanted)
}

export function timeOf(event: UnitEvent): number {
  return Date.parse(event.timestamp)
}

/** In the order in which things happened; what happened at the same time in the order in which it was stored. */
export function inOrder(events: readonly UnitEvent[]): UnitEvent[] {
  return [...events].sort((a, b) => timeOf(a) - timeOf(b) || a.seq - b.seq)
}
