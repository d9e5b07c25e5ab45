/*
 * The one outbox of the page.
 */

import { newIdempotencyKey, type Schemas, sendOnce } from '@/api/client'
import { parseExact } from '@/api/json'
import type { Patience } from '@/api/transport'
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

/** Somebody waits for the answer, and other entries do: a connection that died silently is left soon, and the entry sent again. */
const patience: Patience = { limit: 15_000, doubtAfter: 3_000 }

async function ask(path: string, init?: RequestInit): Promise<unknown> {
  const response = await sendOnce(new Request(`/api${path}`, { credentials: 'same-origin', ...init }), patience)
  const text = await response.text()
  return text === '' ? undefined : parseExact(text)
}

function transmit({ method, path, body }: OutboxRequest, key: string): Promise<unknown> {
  const headers: Record<string, string> = { 'Idempotency-Key': key }
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  return ask(path, { method, headers, body })
}

async function whoami(): Promise<string> {
  const { detail } = (await ask('/whoami', { cache: 'no-store' })) as Schemas['WhoAmIResponse']
  return detail.user_key
}

/** Locks need HTTPS; without it two tabs may both send, which the service notices by the key. */
async function alone(run: () => Promise<void>): Promise<void> {
  if (!('locks' in navigator) || !navigator.locks) return run()
  await navigator.locks.request('tracewright.outbox', run)
}

const tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('tracewright.outbox')

interface Told {
  readonly key: string
  readonly answer: unknown
}

export const outbox = new Outbox({
  clock: realClock,
  storage: storage(),
  newKey: newIdempotencyKey,
  send: transmit,
  whoami,
  alone,
  tell: (key, answer) => tabs?.postMessage({ key, answer } satisfies Told),
})

/** Watches the line and other tabs. Called once, by main.tsx. */
export function startOutbox(): void {
  addEventListener('storage', outbox.reload)
  tabs?.addEventListener('message', ({ data }: MessageEvent<Told>) => outbox.heard(data.key, data.answer))
  line.subscribe(() => {
    if (line.isUp()) void outbox.flush()
  })
}

/** Says whose entries may be sent; null while nobody may send. */
export function outboxForUser(userKey: string | null, name: string): void {
  outbox.signedIn(userKey, name)
}
