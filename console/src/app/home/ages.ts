/*
 * How long things have been waiting.
 */

import { dayNumber } from '@/ui/days'

export type Age = 'today' | 'week' | 'older'

export function daysSince(at: string, now: number): number {
  return Math.max(0, dayNumber(now) - dayNumber(at))
}

/** Of today, of the six days before, or older. */
export function ageOf(at: string, now: number): Age {
  const days = daysSince(at, now)
  if (days < 1) return 'today'
  return days < 7 ? 'week' : 'older'
}

/** How many there are of each age. */
export function countAges(times: readonly string[], now: number): Record<Age, number> {
  const counts = { today: 0, week: 0, older: 0 }
  for (const at of times) counts[ageOf(at, now)] += 1
  return counts
}
