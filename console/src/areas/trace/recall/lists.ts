/*
 * Long lists of suspects: too long for the address bar, so this browser tab keeps them under a name that stands there,
 * apart for each user.
 */

/** So many units fit into an address. */
export const FITS = 60

interface Store {
  getItem(name: string): string | null
  setItem(name: string, value: string): void
}

const memory = new Map<string, string>()

function browserStore(): Store {
  const inMemory = { getItem: (name: string) => memory.get(name) ?? null, setItem: memory.set.bind(memory) }
  try {
    return globalThis.sessionStorage ?? inMemory
  } catch {
    return inMemory
  }
}

function place(userKey: string, name: string): string {
  return `tracewright.recall.${userKey}.${name}`
}

/** A short name that the same list has again. */
function nameOf(keys: readonly string[]): string {
  let hash = 0x811c9dc5
  for (const letter of keys.join(' ')) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return `${keys.length}-${hash.toString(36)}`
}

export function keepList(userKey: string, keys: readonly string[], store: Store = browserStore()): string {
  const name = nameOf(keys)
  const value = JSON.stringify(keys)
  try {
    store.setItem(place(userKey, name), value)
  } catch {
    // No room: it lasts as long as the page.
    memory.set(place(userKey, name), value)
  }
  return name
}

/** The list of that name, or undefined if this tab has none. */
export function keptList(userKey: string, name: string, store: Store = browserStore()): string[] | undefined {
  const value = store.getItem(place(userKey, name)) ?? memory.get(place(userKey, name))
  if (value === undefined) return undefined
  try {
    const list: unknown = JSON.parse(value)
    return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : undefined
  } catch {
    return undefined
  }
}

/** How the address names these suspects: one by one, or as a list. */
export function namesOf(userKey: string, keys: readonly string[], store?: Store): { serial?: string[]; list?: string } {
  const once = [...new Set(keys)]
  if (once.length === 0) return {}
  return once.length <= FITS ? { serial: once } : { list: keepList(userKey, once, store) }
}
