/*
 * The one line, stream and hub of the page.
 */

import type { Query } from '@tanstack/react-query'
import { api, bare, onDoubt, onHeard } from '@/api/client'
import { queryClient } from '@/api/query'
import { isAnswer } from '@/api/transport'
import type { Session } from '@/session'
import { realClock } from './clock'
import { Hub, journalTopics } from './hub'
import { Line } from './line'
import { type SightParts, streamInSight } from './sight'
import { openSource } from './source'
import { type LiveState, Stream } from './stream'

export const line = new Line({
  clock: realClock,
  ping: async () => {
    const { status } = await fetch('/api/hello', { cache: 'no-store', signal: AbortSignal.timeout(5_000) })
    if (!isAnswer(status)) throw new Error('a proxy answered instead')
  },
})

export const hub = new Hub({
  clock: realClock,
  stale: (tag) => void queryClient.invalidateQueries({ queryKey: [tag], type: 'inactive', refetchType: 'none' }),
  refetch: (tag) => void queryClient.invalidateQueries({ queryKey: [tag], type: 'active' }),
})

/** Ends only by `signal`: an endless answer has no time limit. */
function fetchStream(address: string, signal: AbortSignal): Promise<Response> {
  const headers = { Accept: 'text/event-stream' }
  return fetch(address, { headers, cache: 'no-store', credentials: 'same-origin', signal })
}

/** What was read under a tag before the stream was open may be older than the first notice. */
function readBefore(query: Query): boolean {
  return journalTopics.some((topic) => topic === query.queryKey[0]) && query.state.dataUpdatedAt > 0
}

const listeners = new Set<() => void>()

const stream = new Stream({
  clock: realClock,
  ticket: async (topic) => (await bare(api.POST('/notification/ticket', { body: { topic } }))).ticket,
  open: (address, topics, handlers) => openSource({ clock: realClock, fetch: fetchStream }, address, topics, handlers),
  notice: (notice) => hub.notice(notice),
  opened: (first) => void queryClient.invalidateQueries(first ? { predicate: readBefore } : {}),
  changed: () => {
    for (const listener of listeners) listener()
  },
})

export const liveState = {
  get: (): LiveState => stream.current,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

const sight: SightParts = {
  clock: realClock,
  isHidden: () => document.visibilityState === 'hidden',
  onChange: (call) => {
    document.addEventListener('visibilitychange', call)
    return () => document.removeEventListener('visibilitychange', call)
  },
}

/** Begins to watch the line. Called once, by main.tsx. */
export function startLine(): void {
  onHeard(line.heard)
  onDoubt(line.ask)
  addEventListener('online', line.ask)
  addEventListener('offline', line.ask)
  line.start()
}

/** Follows what the user may read, until the answer is called. */
export function followSession(session: Pick<Session, 'user_key' | 'rights'>): () => void {
  const journal = session.rights.has('traceability:event:read') ? journalTopics : []
  stream.start([...journal, `user:${session.user_key}`])
  const forgetSight = streamInSight(sight, stream)
  const forgetLine = line.subscribe(() => {
    if (!line.isUp()) stream.lineDown()
    else if (stream.current !== 'off') stream.resume()
  })
  return () => {
    forgetSight()
    forgetLine()
    stream.stop()
  }
}
