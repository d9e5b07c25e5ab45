import type { EventType, UnitEvent } from './events'

let count = 0

/** An event for tests. */
export function event(type: EventType, at: string, payload: object = {}, more: Partial<UnitEvent> = {}): UnitEvent {
  count += 1
  return {
    _key: `e${count}`,
    seq: count,
    event_type: type,
    timestamp: at,
    user_key: 'anna',
    event_group: `g${count}`,
    source_key: null,
    description: null,
    job_key: null,
    phase_key: null,
    batch_key: null,
    work_order_key: null,
    movement_key: null,
    issue_key: null,
    payload,
    ...more,
  }
}
