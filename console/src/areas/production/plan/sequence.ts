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

/** Where an order is put: in front of another, or behind it. */
export interface Target {
  readonly side: 'before' | 'behind'
  readonly other: string
}

/** What is meant by a place of the list as it is shown (which may be filtered): in front of the order there, behind the last one at the
 * end. Null if there is no other order. */
export function targetAt(shown: readonly string[], key: string, to: number): Target | null {
  const others = shown.filter((one) => one !== key)
  const next = others[to]
  if (next !== undefined) return { side: 'before', other: next }
  const last = others.at(-1)
  return last === undefined ? null : { side: 'behind', other: last }
}

/** The sequence of all orders after one was put somewhere; null if it, or the order it was put to, is no longer there. */
export function putTo(keys: readonly string[], key: string, { side, other }: Target): string[] | null {
  const others = keys.filter((one) => one !== key)
  const at = others.indexOf(other)
  if (at < 0 || others.length === keys.length) return null
  return others.toSpliced(side === 'before' ? at : at + 1, 0, key)
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
