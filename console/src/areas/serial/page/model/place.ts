/** Where a unit is or was, by its movements. */

import type { Schemas } from '@/api'
import { compare } from '@/api/decimal'

export type Movement = Pick<
  Schemas['Movement'],
  | '_key'
  | 'type'
  | 'status'
  | 'end'
  | 'serial_key'
  | 'qt_confirmed'
  | 'position_from_key'
  | 'position_from_code'
  | 'position_to_key'
  | 'position_to_code'
  | 'references'
>

export interface Place {
  /** `inside` the own warehouse, `outside` of it, or `shipped`. */
  readonly kind: 'inside' | 'outside' | 'shipped'
  readonly code: string
  readonly partner: string | null
  readonly since: string
}

/** Whether a unit of a state has left, as a recall tells it: the state itself only says that it is released. */
export function isShipped(state: Schemas['SerialState'] | undefined, own: Place | null): boolean {
  return state === 'released' && own !== null && own.kind !== 'inside'
}

/** The positions that stand for no place: where consumed goods go and produced ones come from, and the world outside as a whole. */
const NOWHERE = 'NULL'
const OUTSIDE = 'OUT'

function endOf(movement: Movement): number {
  return movement.end === null ? Number.NaN : Date.parse(movement.end)
}

function leadsTo(movement: Movement, outside: ReadonlySet<string>): Place | null {
  if (compare(movement.qt_confirmed, 0) < 0 || movement.position_to_key === NOWHERE) return null
  const shipped = movement.type === 'shipment' || movement.position_to_key === OUTSIDE
  return {
    kind: shipped ? 'shipped' : outside.has(movement.position_to_key) ? 'outside' : 'inside',
    code: movement.position_to_code,
    partner: movement.references?.partner_name ?? null,
    since: movement.end ?? '',
  }
}

/** Where the last movement up to a moment has left a unit; null if it lies nowhere that is kept. */
export function placeAt(
  movements: readonly Movement[],
  serialKey: string,
  outside: ReadonlySet<string>,
  time: number,
): Place | null {
  const done = movements
    .filter((movement) => movement.serial_key === serialKey && movement.status === 'completed')
    .filter((movement) => endOf(movement) <= time)
    .sort((a, b) => endOf(a) - endOf(b) || (a._key < b._key ? -1 : 1))
  const last = done.at(-1)
  return last === undefined ? null : leadsTo(last, outside)
}
