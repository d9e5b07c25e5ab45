/*
 * The last time of each job, kept over a reload and for other tabs.
 */

import type { Stamped } from './clock'

const NAME = 'tracewright.stamped'
const LIFE = 86_400_000

function read(text: string | null): Map<string, number> {
  try {
    const entries: unknown = JSON.parse(text ?? '[]')
    if (!Array.isArray(entries)) return new Map()
    return new Map(entries.filter(([key, time]) => typeof key === 'string' && typeof time === 'number'))
  } catch {
    return new Map()
  }
}

/** Forgets what is more than a day older than the newest. Where nothing may be stored, it lives as long as the page. */
export function stampedIn(storage: () => Pick<Storage, 'getItem' | 'setItem'>): Stamped {
  let known = new Map<string, number>()
  const load = () => {
    try {
      known = read(storage().getItem(NAME))
    } catch {
      // What this page has stamped is all that is known.
    }
  }
  return {
    get: (key) => {
      load()
      return known.get(key)
    },
    set: (key, time) => {
      load()
      known = new Map([...known, [key, time] as const].filter(([, one]) => one > time - LIFE))
      try {
        storage().setItem(NAME, JSON.stringify([...known]))
      } catch {
        // No room, or not allowed.
      }
    },
  }
}
