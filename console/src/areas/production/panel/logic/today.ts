import { dayOf } from '@/ui/days'

/** Whether a moment falls on the day that it is here now; so does one that is not known. */
export function isToday(at: string, now: number, zone?: string): boolean {
  return at === '' || dayOf(at, zone) === dayOf(new Date(now).toISOString(), zone)
}
