/*
 * Live updates for pages:
 *
 *   useLive(['production'])                                    everything under the tag `production` is read again
 *   useLive(['serial'], (notice) => notice.serial_key === key) only if the notice is about this unit
 *
 * The tag of a query is the first member of its key.
 */

import { useEffect, useRef, useSyncExternalStore } from 'react'
import { hub, line, liveState } from './browser'
import type { OnNotice, Topic } from './hub'
import type { LiveState } from './stream'

export { followSession, startLine } from './browser'
export type { OnNotice, Topic } from './hub'
export type { LiveState, Notice } from './stream'

export function useLive(topics: readonly Topic[], onNotice?: OnNotice): void {
  const latest = useRef(onNotice)
  useEffect(() => {
    latest.current = onNotice
  })
  const key = topics.join(',')
  useEffect(() => hub.subscribe(key.split(','), (notice) => latest.current?.(notice)), [key])
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(liveState.subscribe, liveState.get)
}

/** Whether the service answers. */
export function useOnline(): boolean {
  return useSyncExternalStore(line.subscribe, line.isUp)
}
