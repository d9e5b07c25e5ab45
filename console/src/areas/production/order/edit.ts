/*
 * Editing an order: what the form begins with, and what of it is sent.
 */

import type { ApiFailure, Schemas } from '@/api'
import type { PlainKey } from '@/app/texts'
import { dayHere, dueDay, startDay } from '@/ui/days'
import type { ShownFault } from '@/ui/fault-paths'
import { wrongLength } from '../new-order/form'
import type { Order } from '../orders'

export interface Edited {
  readonly due: string
  readonly from: string
  readonly project: string
  readonly notes: string
  readonly position: string | null
}

type Change = Schemas['WorkOrderChange']
type Told = Pick<Order, 'due_by' | 'start_from' | 'project_code' | 'notes' | 'output_position_key'>

/** Days are those that the page shows. */
export function editedOf(order: Told, zone?: string): Edited {
  return {
    due: order.due_by === null ? '' : dayHere(dueDay(order.due_by), zone),
    from: order.start_from === null ? '' : dayHere(startDay(order.start_from), zone),
    project: order.project_code ?? '',
    notes: order.notes ?? '',
    position: order.output_position_key,
  }
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim()
}

/** Only what differs is sent, so that what others changed meanwhile stays. */
export function changesOf(before: Edited, after: Edited): Change {
  const change: Change = {}
  if (after.due !== before.due) change.new_due_date = orNull(after.due)
  if (after.from !== before.from) change.new_from_date = orNull(after.from)
  if (after.project.trim() !== before.project) change.new_project_code = orNull(after.project)
  if (after.notes.trim() !== before.notes.trim()) change.notes = orNull(after.notes)
  if (after.position !== before.position) change.new_output_position_key = after.position
  return change
}

export function wrongIn({ due, from, project }: Edited): { path: string; text: PlainKey }[] {
  const late = due !== '' && from !== '' && due < from
  return [
    ...(late ? [{ path: 'new_due_date', text: 'production.new.wrong.due' } as const] : []),
    ...wrongLength('new_project_code', project),
  ]
}

/** Refusals of the service at their fields; one without a place is told above. */
export function refusalsOf(failure: ApiFailure): ShownFault[] {
  return failure.faults.map(({ path, message }) => ({ path, message }))
}
