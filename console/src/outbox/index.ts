/*
 * For what must not get lost when the line does:
 *
 *   const { enqueue } = useOutbox()
 *   await enqueue(outboxRequest('POST', '/event', { body, group: jobKey }), t('panel.completeStep'))
 */

import { useCallback, useMemo, useSyncExternalStore } from 'react'
import { useOnline } from '@/live'
import { useSession } from '@/session'
import { outbox } from './browser'
import { type OutboxEntry, type OutboxRequest, type Owner, ownersOf } from './queue'

export { outboxForUser, startOutbox } from './browser'
export { AnswerMissed, KeptRefusal, type OutboxEntry, type OutboxRequest, type Owner, type Refusal } from './queue'
export { outboxRequest } from './request'

export interface OutboxView {
  /** Resolves with the answer's body once it was sent; throws an `ApiFailure` if the service refuses it, a `KeptRefusal` if it stays on
   * the list with the words of the service, an `AnswerMissed` if another tab has sent it and its answer was not heard. */
  enqueue<T = unknown>(request: OutboxRequest, label: string): Promise<T>
  /** Not sent yet, oldest first. */
  pending: OutboxEntry[]
  /** Refused, with the words of the service. */
  failed: OutboxEntry[]
  retry(key: string): void
  discard(key: string): void
  online: boolean
}

export function useOutbox(): OutboxView {
  const { user_key } = useSession()
  const online = useOnline()
  const all = useSyncExternalStore(outbox.subscribe, outbox.getEntries)
  const enqueue = useCallback(<T>(request: OutboxRequest, label: string) => {
    const { pathname } = location
    // A dialog that queued it may be closed: its page shows a refusal.
    return outbox.enqueue(request, label, () => location.pathname === pathname) as Promise<T>
  }, [])
  return useMemo(() => {
    const mine = all.filter((entry) => entry.user_key === user_key)
    return {
      enqueue,
      pending: mine.filter((entry) => entry.refusal === null),
      failed: mine.filter((entry) => entry.refusal !== null),
      retry: (key) => outbox.retry(key),
      discard: (key) => outbox.discard(key),
      online,
    }
  }, [all, user_key, online, enqueue])
}

/** Whose entries wait on this device, whoever is signed in. */
export function useOwners(): Owner[] {
  const all = useSyncExternalStore(outbox.subscribe, outbox.getEntries)
  return useMemo(() => ownersOf(all), [all])
}
