/*
 * How a unit stood at a moment. The service keeps the links between units by time; code, state and values of a unit are those of today, and
 * what they were before follows from its events.
 */

import type { Schemas } from '@/api'
import { hasText, isTrue, listOf, member, textOf, timeOf, type UnitEvent } from './events'

export type SerialState = Schemas['SerialState']
export type Field = Schemas['RecordField']

export interface Facts {
  readonly code: string | null
  readonly released: string | null
  readonly scrapped: { readonly at: string; readonly reason: string | null } | null
  readonly deleted: boolean
  readonly builtIn: boolean
}

function codeIn(event: UnitEvent, key: string): string | null | undefined {
  const entry = listOf(event.payload, 'serials').find((unit) => textOf(unit, 'serial_key') === key)
  return entry === undefined ? undefined : (textOf(entry, 'code') ?? null)
}

/** When units of an event are released: at its time, unless it says another or none. */
function releaseOf(event: UnitEvent): string | null {
  const released = member(event.payload, 'released')
  if (released === null) return null
  return typeof released === 'string' ? released : event.timestamp
}

function concerns(event: UnitEvent, key: string): boolean {
  return textOf(event.payload, 'serial_key') === key || hasText(event.payload, 'serial_keys', key)
}

function after(facts: Facts, event: UnitEvent, key: string): Facts {
  switch (event.event_type) {
    case 'SERIAL_CREATED': {
      const code = codeIn(event, key)
      return { ...facts, code: code === undefined ? facts.code : code, released: releaseOf(event) }
    }
    case 'SERIAL_RELEASED':
      return { ...facts, code: codeIn(event, key) ?? facts.code, released: releaseOf(event) }
    case 'SERIAL_UPDATED':
      return {
        ...facts,
        code: textOf(event.payload, 'serial_code')?.trim().toUpperCase() ?? facts.code,
        released: isTrue(event.payload, 'unrelease') ? null : facts.released,
        scrapped: isTrue(event.payload, 'unscrap') ? null : facts.scrapped,
      }
    case 'SERIAL_SCRAPPED':
      if (!concerns(event, key)) return facts
      return { ...facts, scrapped: { at: event.timestamp, reason: textOf(event.payload, 'reason') ?? null } }
    case 'SERIAL_LINKED':
    case 'SERIAL_UNLINKED':
      if (textOf(event.payload, 'child_serial_key') !== key) return facts
      return { ...facts, builtIn: event.event_type === 'SERIAL_LINKED' }
    case 'SERIAL_DELETED':
      return concerns(event, key) || hasText(event.payload, 'deleted_serial_keys', key)
        ? { ...facts, deleted: true }
        : facts
    default:
      return facts
  }
}

/** Code, release, scrap and use at a moment, by the events up to then, which come in their order. */
export function factsAt(serial: Schemas['Serial'], events: readonly UnitEvent[], time: number): Facts {
  const start: Facts = { code: serial.code, released: null, scrapped: null, deleted: false, builtIn: false }
  return events
    .filter((event) => timeOf(event) <= time)
    .reduce((facts, event) => after(facts, event, serial._key), start)
}

/** The first state that holds, as the service derives it. */
export function stateOf(facts: Facts, inStock: boolean): SerialState {
  if (facts.deleted) return 'deleted'
  if (facts.scrapped) return 'scrapped'
  if (facts.builtIn) return 'used'
  if (inStock) return 'in_stock'
  if (facts.released) return 'released'
  return facts.code === null ? 'uncoded' : 'wip'
}

interface FieldName {
  readonly form_field_key: string | null
  readonly custom_field_key: string | null
}

function names(field: FieldName, entry: unknown): boolean {
  const form = textOf(entry, 'form_field_key')
  if (form !== undefined) return form === field.form_field_key
  return textOf(entry, 'custom_field_key') === field.custom_field_key
}

function entryFor(field: FieldName, event: UnitEvent, list: string): unknown {
  return listOf(event.payload, list).find((entry) => names(field, entry))
}

/** One value at a moment: changes that came later are taken back, the latest first. Events come in their order. */
function fieldAt(field: Field, events: readonly UnitEvent[], time: number): Field {
  const updates = events.filter((event) => event.event_type === 'SERIAL_UPDATED')
  const later = updates.filter((event) => timeOf(event) > time && entryFor(field, event, 'previous') !== undefined)
  const first = later[0]
  if (first === undefined) return field
  const value = member(entryFor(field, first, 'previous'), 'value') ?? null
  const last = updates.findLast((event) => timeOf(event) <= time && entryFor(field, event, 'serial_data') !== undefined)
  return { ...field, value, last_updated: last?.timestamp ?? null, last_updated_by: null }
}

/** The values at a moment. */
export function fieldsAt(fields: readonly Field[], events: readonly UnitEvent[], time: number): Field[] {
  return fields.map((field) => fieldAt(field, events, time))
}
