/*
 * What an event says about this unit, as the name of a text and what goes into it. The texts are in the message files under
 * `serial.event`; what the names of units and positions are is known to the one who shows them.
 */

import type { TextKey } from '@/i18n'
import type { IconName } from '@/ui/icons'
import type { Tone } from '@/ui/states'
import { type EventType, hasText, isTrue, listOf, member, textOf, type UnitEvent } from './events'
import type { Movement } from './place'

export type EventText = Extract<TextKey, `serial.event.${string}`>

/** What goes into a text: units by their keys, or a plain text. */
export type Slot = { readonly units: readonly string[] } | { readonly text: string }

export interface EnteredValue {
  readonly form_field_key: string | null
  readonly custom_field_key: string | null
  readonly value: unknown
}

export interface Line {
  readonly key: EventText
  readonly slots: Readonly<Record<string, Slot>>
  /** The lower, the more it matters: the line that matters most heads what happened together. */
  readonly rank: number
  readonly tone: Tone
  readonly icon: IconName
  /** Told only if nothing else is to tell. */
  readonly quiet: boolean
  readonly values?: readonly EnteredValue[]
  readonly note?: string | undefined
}

export interface WordsContext {
  readonly serialKey: string
  readonly phase: (phaseKey: string | null) => string | undefined
  readonly movement: (movementKey: string | null) => Movement | undefined
  /** The title of an issue. */
  readonly issue: (issueKey: string | null) => string | undefined
}

interface Look {
  readonly rank: number
  readonly tone: Tone
  readonly icon: IconName
  readonly quiet?: boolean
}

const units = (...keys: (string | undefined)[]): Slot => ({ units: keys.filter((key) => key !== undefined) })
const plain = (text: string | null | undefined): Slot => ({ text: text ?? '' })

function line(look: Look, key: EventText, slots: Line['slots'] = {}, more: Partial<Line> = {}): Line {
  return { quiet: false, ...look, key, slots, ...more }
}

const MADE: Look = { rank: 4, tone: 'running', icon: 'serial' }
const END: Look = { rank: 1, tone: 'scrapped', icon: 'scrapped' }
const RELEASE: Look = { rank: 2, tone: 'done', icon: 'done' }
const TAKEN_BACK: Look = { rank: 2, tone: 'waiting', icon: 'undo' }
const BUILT: Look = { rank: 3, tone: 'built', icon: 'built' }
const PARTS: Look = { rank: 6, tone: 'built', icon: 'link' }
const VALUES: Look = { rank: 8, tone: 'todo', icon: 'edit' }
const WORK: Look = { rank: 5, tone: 'running', icon: 'running' }
const PASSED: Look = { rank: 5, tone: 'running', icon: 'check' }
const MOVED: Look = { rank: 8, tone: 'todo', icon: 'position' }
const SHIPPED: Look = { rank: 3, tone: 'built', icon: 'shipped' }
const QUIET: Look = { rank: 20, tone: 'todo', icon: 'todo', quiet: true }
const TALK: Look = { rank: 7, tone: 'todo', icon: 'message' }
const TASK: Look = { rank: 7, tone: 'todo', icon: 'task' }
const COUNT: Look = { rank: 9, tone: 'todo', icon: 'stock' }

function created(event: UnitEvent): Line {
  const inProduction = member(event.payload, 'released') === null
  return line(MADE, inProduction ? 'serial.event.made' : 'serial.event.registered')
}

function entered(event: UnitEvent): EnteredValue[] {
  return listOf(event.payload, 'serial_data').map((entry) => ({
    form_field_key: textOf(entry, 'form_field_key') ?? null,
    custom_field_key: textOf(entry, 'custom_field_key') ?? null,
    value: member(entry, 'value') ?? null,
  }))
}

function updated(event: UnitEvent): Line[] {
  const { payload } = event
  const code = textOf(payload, 'serial_code')
  const before = textOf(payload, 'previous_code')
  const values = entered(event)
  const lines: Line[] = []
  if (isTrue(payload, 'unscrap')) lines.push(line(TAKEN_BACK, 'serial.event.unscrapped'))
  if (isTrue(payload, 'unrelease')) lines.push(line(TAKEN_BACK, 'serial.event.unreleased'))
  if (code && before) lines.push(line(VALUES, 'serial.event.renamed', { before: plain(before), code: plain(code) }))
  else if (code) lines.push(line(VALUES, 'serial.event.coded', { code: plain(code) }))
  if (values.length > 0) lines.push(line(VALUES, 'serial.event.values', {}, { values }))
  if (listOf(payload, 'remove_data_from_phases').length > 0) lines.push(line(VALUES, 'serial.event.emptied'))
  return lines.length > 0 ? lines : [line(QUIET, 'serial.event.unchanged')]
}

function linked(event: UnitEvent, me: string): Line {
  const child = textOf(event.payload, 'child_serial_key')
  const parent = textOf(event.payload, 'parent_serial_key')
  const old = textOf(event.payload, 'replaces_serial_key')
  const note = textOf(event.payload, 'reason')
  if (child === me && old) {
    return line(BUILT, 'serial.event.replacing', { parent: units(parent), old: units(old) }, { note })
  }
  if (child === me) {
    return parent === undefined
      ? line(BUILT, 'serial.event.builtIntoBatch', {}, { note })
      : line(BUILT, 'serial.event.builtInto', { parent: units(parent) }, { note })
  }
  if (old === me) return line(BUILT, 'serial.event.replacedBy', { part: units(child), parent: units(parent) }, { note })
  if (old) return line(PARTS, 'serial.event.partReplaced', { part: units(child), old: units(old) }, { note })
  return line(PARTS, 'serial.event.partsIn', { parts: units(child) }, { note })
}

function unlinked(event: UnitEvent, me: string): Line {
  const child = textOf(event.payload, 'child_serial_key')
  const parent = textOf(event.payload, 'parent_serial_key')
  const note = textOf(event.payload, 'reason')
  if (child !== me) return line(PARTS, 'serial.event.partsOut', { parts: units(child) }, { note })
  return parent === undefined
    ? line(BUILT, 'serial.event.outOfBatch', {}, { note })
    : line(BUILT, 'serial.event.takenOut', { parent: units(parent) }, { note })
}

function moved(event: UnitEvent, { movement }: WordsContext): Line {
  const row = movement(event.movement_key ?? textOf(event.payload, 'movement_key') ?? null)
  const note = textOf(event.payload, 'reason')
  if (row === undefined) return line(MOVED, 'serial.event.moved', {}, { note })
  const from = plain(row.position_from_code)
  const to = plain(row.position_to_code)
  const partner = row.references?.partner_name
  switch (row.type) {
    case 'receipt':
      return line(MOVED, 'serial.event.received', { to }, { note })
    case 'shipment':
      return partner
        ? line(SHIPPED, 'serial.event.shippedTo', { partner: plain(partner) }, { note })
        : line(SHIPPED, 'serial.event.shipped', { from }, { note })
    case 'production':
      return line(MOVED, 'serial.event.putAt', { to }, { note })
    case 'consumption':
      return line(MOVED, 'serial.event.consumed', { from }, { note })
    case 'adjustment':
      return line(MOVED, 'serial.event.adjusted', {}, { note })
    default:
      return line(MOVED, 'serial.event.movedTo', { from, to }, { note })
  }
}

const ISSUES: Partial<Record<EventType, readonly [EventText, Look]>> = {
  ISSUE_CREATED: ['serial.event.issue', { rank: 3, tone: 'waiting', icon: 'issue' }],
  ISSUE_UPDATED: ['serial.event.issueChanged', { rank: 7, tone: 'waiting', icon: 'issue' }],
  ISSUE_CLOSED: ['serial.event.issueClosed', { rank: 3, tone: 'done', icon: 'done' }],
  ISSUE_REOPENED: ['serial.event.issueReopened', { rank: 3, tone: 'waiting', icon: 'issue' }],
  ISSUE_DELETED: ['serial.event.issueDeleted', { rank: 7, tone: 'todo', icon: 'trash' }],
}

/** Types that always say the same. */
const PLAIN: Partial<Record<EventType, readonly [EventText, Look]>> = {
  SERIAL_RELEASED: ['serial.event.released', RELEASE],
  SERIAL_DELETED: ['serial.event.deleted', { rank: 0, tone: 'scrapped', icon: 'deleted' }],
  BATCH_RELEASED: ['serial.event.released', { ...RELEASE, rank: 21, quiet: true }],
  WIP_DECLARED: ['serial.event.waits', QUIET],
  WIP_BOOKED: ['serial.event.booked', QUIET],
  WIP_UNBOOKED: ['serial.event.unbooked', QUIET],
  WIP_REMOVED: ['serial.event.leftQueue', QUIET],
  JOB_RESET: ['serial.event.jobReset', TAKEN_BACK],
  PROGRESS_OVERRIDE_REQUESTED: ['serial.event.overridden', { rank: 5, tone: 'waiting', icon: 'edit' }],
  STEP_COMPLETED: ['serial.event.stepDone', WORK],
  STEP_EDITED: ['serial.event.stepEdited', { rank: 7, tone: 'todo', icon: 'edit' }],
  ACTIVE_BATCH_CHANGED: ['serial.event.batchChanged', { rank: 9, tone: 'todo', icon: 'edit' }],
  MOVEMENT_PLANNED: ['serial.event.movePlanned', { rank: 9, tone: 'todo', icon: 'plan' }],
  MOVEMENT_UPDATED: ['serial.event.moveChanged', { rank: 9, tone: 'todo', icon: 'plan' }],
  MOVEMENT_REVERSED: ['serial.event.moveReversed', { rank: 8, tone: 'waiting', icon: 'undo' }],
  WAREHOUSE_LIST_CREATED: ['serial.event.onList', { ...QUIET, icon: 'plan' }],
  WAREHOUSE_LIST_CLOSED: ['serial.event.listClosed', { ...QUIET, icon: 'plan' }],
  COUNT_STARTED: ['serial.event.countStarted', { ...COUNT, quiet: true }],
  COUNT_COMPLETED: ['serial.event.counted', COUNT],
  COUNT_CANCELED: ['serial.event.countCanceled', COUNT],
  COUNT_DISCARDED: ['serial.event.countDiscarded', COUNT],
  COUNT_APPLIED: ['serial.event.countApplied', COUNT],
  MESSAGE_UPDATED: ['serial.event.messageChanged', TALK],
  MESSAGE_DELETED: ['serial.event.messageDeleted', TALK],
  TASK_CREATED: ['serial.event.task', TASK],
  TASK_UPDATED: ['serial.event.taskChanged', TASK],
  TASK_COMPLETED: ['serial.event.taskDone', TASK],
  TASK_CANCELED: ['serial.event.taskCanceled', TASK],
  TASK_SUSPENDED: ['serial.event.taskSuspended', TASK],
  TASK_REOPENED: ['serial.event.taskReopened', TASK],
  TASK_LINKED: ['serial.event.task', TASK],
  TASK_UNLINKED: ['serial.event.taskUnlinked', TASK],
  TASK_DELETED: ['serial.event.taskDeleted', TASK],
}

function ofPhase(event: UnitEvent, context: WordsContext, look: Look, named: EventText, bare: EventText): Line {
  const phase = context.phase(event.phase_key)
  return phase === undefined ? line(look, bare) : line(look, named, { phase: plain(phase) })
}

function inPhase(event: UnitEvent, context: WordsContext): Line | undefined {
  switch (event.event_type) {
    case 'JOB_STARTED':
    case 'JOB_RESUMED':
      return ofPhase(event, context, WORK, 'serial.event.started', 'serial.event.startedBare')
    case 'BATCH_CREATED':
      return ofPhase(event, context, { ...WORK, quiet: true }, 'serial.event.started', 'serial.event.startedBare')
    case 'BATCH_COMPLETED':
      return ofPhase(event, context, PASSED, 'serial.event.completed', 'serial.event.completedBare')
    case 'BATCH_CANCELED':
      return ofPhase(event, context, TAKEN_BACK, 'serial.event.canceled', 'serial.event.canceledBare')
    default:
      return undefined
  }
}

function fixed(event: UnitEvent, context: WordsContext): Line {
  const issue = ISSUES[event.event_type]
  if (issue) {
    const title = textOf(member(event.payload, 'issue_data'), 'title') ?? context.issue(event.issue_key)
    return line(issue[1], issue[0], {}, { note: title })
  }
  const found = PLAIN[event.event_type]
  if (!found) return line(QUIET, 'serial.event.other')
  const note = textOf(event.payload, 'task_code') ?? textOf(event.payload, 'title')
  return line(found[1], found[0], {}, { note: event.event_type.startsWith('TASK') ? note : undefined })
}

function scrapped(event: UnitEvent, me: string): Line {
  const note = textOf(event.payload, 'reason')
  const own = textOf(event.payload, 'serial_key') === me || hasText(event.payload, 'serial_keys', me)
  return line(
    own ? END : { ...END, rank: 9 },
    own ? 'serial.event.scrapped' : 'serial.event.partScrapped',
    {},
    { note },
  )
}

/** The lines that an event gives. */
export function linesOf(event: UnitEvent, context: WordsContext): Line[] {
  switch (event.event_type) {
    case 'SERIAL_CREATED':
      return [created(event)]
    case 'SERIAL_UPDATED':
      return updated(event)
    case 'SERIAL_LINKED':
      return [linked(event, context.serialKey)]
    case 'SERIAL_UNLINKED':
      return [unlinked(event, context.serialKey)]
    case 'SERIAL_SCRAPPED':
      return [scrapped(event, context.serialKey)]
    case 'MOVEMENT_COMPLETED':
      return [moved(event, context)]
    case 'MESSAGE_POSTED':
      return [line(TALK, 'serial.event.message', {}, { note: textOf(event.payload, 'content') })]
    default:
      return [inPhase(event, context) ?? fixed(event, context)]
  }
}
