/*
 * The one clock of the page: the time of the service, whatever this device believes.
 */

import { ServiceClock } from './clock'
import { stampedIn } from './stamped'

export const clock = new ServiceClock(
  () => performance.now(),
  stampedIn(() => localStorage),
  Date.now,
)

/** Notes the service's time with an answer. */
export function timed<T extends { response: Response }>(ask: () => Promise<T>): Promise<T> {
  return clock.timed(ask)
}

/** Now, by the service; by this device as long as no answer has told. */
export function serviceNow(): number {
  return clock.time() ?? Date.now()
}
