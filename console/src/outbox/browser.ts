/*
 * The one outbox of the page.
 */

import { api, detail, newIdempotencyKey, send } from '@/api/client'
import { parseExact } from '@/api/json'
import { line } from '@/live/browser'
import { realClock } from '@/live/clock'
import { Outbox } from './outbox'
import type { OutboxRequest } from './queue'
import { browserStorage, type EntryStorage, memoryStorage } from './storage'

function storage(): EntryStorage {
  try {
    return browserStorage(localStorage)
  } catch {
    return memoryStorage()
  }
}

async function transmit({ method, path, body }: OutboxRequest, key: string): Promise<unknown> {
  const headers: Record<string, string> = { 'Idempotency-Key': key }
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  const response = await send(new Request(`/api${path}`, { method, headers, body, credentials: 'same-origin' }))
  const text = await response.text()
  return text === '' ? undefined : parseExact(text)
}

/** Locks need HTTPS; without it two tabs may both send, which the service notices by the key. */
async function alone(run: () => Promise<void>): Promise<void> {
  if (!('locks' in navigator) || !navigator.locks) return run()
  await navigator.locks.request('tracewright.outbox', run)
}

export const outbox = new Outbox({
  clock: realClock,
  storage: storage(),
  newKey: newIdempotencyKey,
  send: transmit,
  whoami: async () => (await detail(api.GET('/whoami'))).user_key,
  alone,
})

/** Watches the line and other tabs. Called once, by main.tsx. */
export function startOutbox(): void {
  addEventListener('storage', outbox.reload)
  line.subscribe(() => {
    if (line.isUp()) void outbox.flush()
  })
}

/** Says whose entries may be sent; null while the page is locked. */
export function outboxForUser(userKey: string | null): void {
  outbox.signedIn(userKey)
}
