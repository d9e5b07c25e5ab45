/*
 * Moving an order within the site queue.
 */

/** The keys with `key` put in front of `before`; at the end where it is null. */
export function moveBefore(keys: readonly string[], key: string, before: string | null): string[] {
  if (key === before) return [...keys]
  const others = keys.filter((one) => one !== key)
  const at = before === null ? others.length : others.indexOf(before)
  return others.toSpliced(at < 0 ? others.length : at, 0, key)
}

/** In front of which order something lands that is dropped at a place of the list as it is shown (which may be filtered). */
export function dropBefore(shown: readonly string[], key: string, to: number): string | null | undefined {
  const others = shown.filter((one) => one !== key)
  const next = others[to]
  if (next !== undefined) return next
  return others.length === 0 ? undefined : null
}

/** The same as a sequence of all orders: behind the last one that is shown, if it was dropped at the end of a filtered list. */
export function droppedAt(keys: readonly string[], shown: readonly string[], key: string, to: number): string[] {
  const before = dropBefore(shown, key, to)
  if (before === undefined) return [...keys]
  if (before !== null) return moveBefore(keys, key, before)
  const last = shown.filter((one) => one !== key).at(-1)
  const others = keys.filter((one) => one !== key)
  return moveBefore(keys, key, others[others.indexOf(last ?? '') + 1] ?? null)
}

function sameFrom(before: readonly string[], after: readonly string[], length: number): boolean {
  const sent = new Set(after.slice(0, length))
  const rest = before.filter((key) => !sent.has(key))
  return rest.every((key, at) => key === after[length + at])
}

/**
 * What has to be sent so that the queue becomes `after`. Orders that are left out follow in their old sequence, so the shortest beginning
 * is enough; what others moved further down meanwhile stays as they want it.
 */
export function toSend(before: readonly string[], after: readonly string[]): string[] {
  let length = 0
  while (length < after.length && !sameFrom(before, after, length)) length += 1
  return after.slice(0, length)
}

/** At which place something lands whose middle is at `y`, by the middles of all cards before the drag. */
export function placeAt(middles: readonly number[], from: number, y: number): number {
  const others = middles.filter((_, at) => at !== from)
  const next = others.findIndex((middle) => y < middle)
  return next < 0 ? others.length : next
}

/** How far the card at `at` gives way, in card heights, while the one at `from` is held over `to`. */
export function givesWay(at: number, from: number, to: number): -1 | 0 | 1 {
  if (from < at && at <= to) return -1
  return to <= at && at < from ? 1 : 0
}
