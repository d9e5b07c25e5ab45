/*
 * Where entries survive a reload: one item of the local storage for each, so that two tabs never overwrite each other's.
 */

import type { OutboxEntry } from './queue'

export interface EntryStorage {
  all(): OutboxEntry[]
  /** Throws if there is no room. */
  put(entry: OutboxEntry): void
  remove(key: string): void
}

const prefix = 'tracewright.outbox.'

function isEntry(value: unknown): value is OutboxEntry {
  if (typeof value !== 'object' || value === null) return false
  return 'key' in value && 'user_key' in value && 'request' in value && 'queuedAt' in value
}

function read(text: string | null): OutboxEntry[] {
  try {
    const entry: unknown = JSON.parse(text ?? '')
    return isEntry(entry) ? [entry] : []
  } catch {
    return []
  }
}

export function browserStorage(storage: Storage): EntryStorage {
  return {
    all: () => {
      const names = Object.keys(storage).filter((name) => name.startsWith(prefix))
      return names
        .flatMap((name) => read(storage.getItem(name)))
        .sort((a, b) => a.queuedAt - b.queuedAt || a.key.localeCompare(b.key))
    },
    put: (entry) => storage.setItem(prefix + entry.key, JSON.stringify(entry)),
    remove: (key) => storage.removeItem(prefix + key),
  }
}

/** For browsers that allow no storage: the queue then lives as long as the page. */
export function memoryStorage(): EntryStorage {
  const entries = new Map<string, OutboxEntry>()
  return {
    all: () => [...entries.values()].sort((a, b) => a.queuedAt - b.queuedAt),
    put: (entry) => void entries.set(entry.key, entry),
    remove: (key) => void entries.delete(key),
  }
}
