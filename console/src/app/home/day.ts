export type PartOfDay = 'morning' | 'afternoon' | 'evening'

/** For a greeting: the night shift is greeted in the evening. */
export function partOfDay(now: Date): PartOfDay {
  const hour = now.getHours()
  if (hour >= 4 && hour < 12) return 'morning'
  return hour >= 12 && hour < 18 ? 'afternoon' : 'evening'
}
