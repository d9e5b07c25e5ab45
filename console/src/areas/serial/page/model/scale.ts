/*
 * The scale of the time slider. On a plain scale of time the two days in which a unit was made would shrink to a dot beside the months in
 * which it lay on a shelf. So each stretch between two changes gets part of its length for the time it lasted, and part for being there.
 */

/** How much of the length follows the time; the rest is shared out evenly among the stretches. */
const BY_TIME = 0.45

export interface Scale {
  readonly from: number
  readonly to: number
  /** Where a moment lies, from 0 to 1. */
  place(time: number): number
  /** The moment at a place. */
  time(place: number): number
}

/** A scale from the first moment to the last, with the changes between them in their order. */
export function makeScale(from: number, to: number, changes: readonly number[]): Scale {
  const end = Math.max(to, from + 1)
  const inner = changes.filter((time) => time > from && time < end)
  const stops = [...new Set([from, ...inner, end])].sort((a, b) => a - b)
  const even = (1 - BY_TIME) / (stops.length - 1)
  const places = stops.map((stop, at) => at * even + (BY_TIME * (stop - from)) / (end - from))
  return {
    from,
    to: end,
    place: (time) => between(stops, places, time),
    time: (place) => Math.round(between(places, stops, place)),
  }
}

/** Reads a broken line that rises: at a place of `xs`, the value of `ys`. */
function between(xs: readonly number[], ys: readonly number[], x: number): number {
  const last = xs.length - 1
  const first = xs[0] ?? 0
  if (x <= first) return ys[0] ?? 0
  for (let at = 1; at <= last; at += 1) {
    const right = xs[at] ?? 0
    if (x > right) continue
    const left = xs[at - 1] ?? 0
    const low = ys[at - 1] ?? 0
    return low + ((ys[at] ?? 0) - low) * ((x - left) / (right - left))
  }
  return ys[last] ?? 0
}

/** The change nearest to a moment, if it is close enough on the scale; otherwise the moment itself. */
export function snap(scale: Scale, changes: readonly number[], time: number, reach: number): number {
  const place = scale.place(time)
  let best = time
  let distance = reach
  for (const change of changes) {
    const away = Math.abs(scale.place(change) - place)
    if (away <= distance) {
      best = change
      distance = away
    }
  }
  return best
}

export function changeBefore(changes: readonly number[], time: number): number | undefined {
  return changes.findLast((change) => change < time)
}

export function changeAfter(changes: readonly number[], time: number): number | undefined {
  return changes.find((change) => change > time)
}

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Where a key leads from a moment; null is now, undefined is no key of the slider. */
export function keyStep(
  scale: Scale,
  changes: readonly number[],
  time: number,
  key: string,
): number | null | undefined {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return changeBefore(changes, time) ?? scale.from
    case 'ArrowRight':
    case 'ArrowUp':
      return changeAfter(changes, time) ?? null
    case 'PageDown':
      return Math.max(scale.from, time - DAY)
    case 'PageUp':
      return time + DAY >= scale.to ? null : time + DAY
    case 'Home':
      return scale.from
    case 'End':
      return null
    default:
      return undefined
  }
}
