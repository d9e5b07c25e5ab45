/*
 * Where entries survive a reload: one item of the local storage for each, so that two tabs never overwrite each other's. An item of another
 * shape, from another version or program, is no entry: it is left alone.
 */

import { inOrder, type OutboxEntry, type OutboxRequest, type Refusal } from './queue'

export interface EntryStorage {
  /** In the order of queueing. */
  all(): OutboxEntry[]
  /** Throws if there is no room. */
  put(entry: OutboxEntry): void
  remove(key: string): void
}

const prefix = 'tracewright.outbox.'

type Shape = Record<string, unknown>

const methods: unknown[] = ['POST', 'PUT', 'PATCH', 'DELETE']

function isShape(value: unknown): value is Shape {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isMoment(value: unknown): value is number {
  return typeof value === 'number' && !Number.isNaN(new Date(value).getTime())
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function isRequest(value: unknown): value is OutboxRequest {
  if (!isShape(value) || !methods.includes(value.method)) return false
  const { path, body, group, refused } = value
  if (!isText(path) || !path.startsWith('/')) return false
  if (body !== undefined && !(isText(body) && isJson(body))) return false
  if (group !== undefined && !isText(group)) return false
  return refused === undefined || refused === 'keep' || refused === 'drop'
}

function isRefusal(value: unknown): value is Refusal {
  if (!isShape(value)) return false
  return typeof value.status === 'number' && isText(value.message) && Array.isArray(value.faults)
}

type Stored = Omit<OutboxEntry, 'order' | 'user_name'> & Partial<Pick<OutboxEntry, 'order' | 'user_name'>>

function isStored(value: unknown): value is Stored {
  if (!isShape(value)) return false
  const { key, user_key, user_name, label, request, order, queuedAt, sentAt, refusal } = value
  if (!isText(key) || !isText(user_key) || !isText(label) || !isRequest(request)) return false
  if (user_name !== undefined && !isText(user_name)) return false
  if (order !== undefined && !Number.isSafeInteger(order)) return false
  if (!isMoment(queuedAt) || !(sentAt === null || isMoment(sentAt))) return false
  return refusal === null || isRefusal(refusal)
}

function read(name: string, text: string | null): OutboxEntry[] {
  try {
    const value: unknown = JSON.parse(text ?? '')
    if (!isStored(value) || name !== prefix + value.key) return []
    return [{ ...value, order: value.order ?? 0, user_name: value.user_name ?? '' }]
  } catch {
    return []
  }
}

export function browserStorage(storage: Storage): EntryStorage {
  return {
    all: () => {
      const names = Object.keys(storage).filter((name) => name.startsWith(prefix))
      return names.flatMap((name) => read(name, storage.getItem(name))).sort(inOrder)
    },
    put: (entry) => storage.setItem(prefix + entry.key, JSON.stringify(entry)),
    remove: (key) => storage.removeItem(prefix + key),
  }
}

/** For browsers that allow no storage: the queue then lives as long as the page. */
export function memoryStorage(): EntryStorage {
  const entries = new Map<string, OutboxEntry>()
  return {
    all: () => [...entries.values()].sort(inOrder),
    put: (entry) => void entries.set(entry.key, entry),
    remove: (key) => void entries.delete(key),
  }
}
