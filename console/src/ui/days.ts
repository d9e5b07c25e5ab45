/** The day that a time falls on here, as `YYYY-MM-DD`. */
export function dayOf(at: string, zone?: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', zone === undefined ? {} : { timeZone: zone })
  return parts.format(new Date(at))
}

/** A due date that was given as a day is that day everywhere; the service keeps the end of it. */
export function dueDay(time: string): string {
  return /T23:59:59\.999Z$/.test(time) ? time.slice(0, 10) : time
}

/** The day of a start date: the service keeps the beginning of it. */
export function startDay(time: string): string {
  return /T00:00:00(\.0+)?Z$/.test(time) ? time.slice(0, 10) : time
}

/** The moments between which days of this place lie. The service takes both ends as included, and bare days as those of UTC. */
export function daysBetween(from: string | undefined, to: string | undefined): { from?: string; to?: string } {
  return {
    ...(from === undefined ? {} : { from: new Date(`${from}T00:00:00`).toISOString() }),
    ...(to === undefined ? {} : { to: new Date(`${to}T23:59:59.999`).toISOString() }),
  }
}

/** Whether a day was given, rather than a moment. */
export function isDay(time: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(time)
}

const DAY = 86_400_000

/** A day, or the day here of a moment, as a number: days are as far apart as their numbers. */
export function dayNumber(time: string | number | Date): number {
  if (typeof time === 'string' && isDay(time)) return Date.parse(time) / DAY
  const local = new Date(time)
  return Date.UTC(local.getFullYear(), local.getMonth(), local.getDate()) / DAY
}

/** A day as it is, or the day here of a moment. */
export function dayHere(time: string, zone?: string): string {
  return isDay(time) ? time : dayOf(time, zone)
}

/** A task that is due at the beginning of a day may take that day: people give the day alone. */
export function taskDay(time: string): string {
  return startDay(dueDay(time))
}

/** Whether a task should be done by now. */
export function isOverdue(due: string | null, now: number, zone?: string): boolean {
  if (due === null) return false
  const day = taskDay(due)
  return isDay(day) ? day < dayOf(new Date(now).toISOString(), zone) : Date.parse(due) < now
}

/** Entries under their days, in the order in which they come. */
export function byDay<Entry extends { readonly at: string }>(entries: readonly Entry[], zone?: string) {
  const days: { day: string; entries: Entry[] }[] = []
  for (const entry of entries) {
    const day = dayOf(entry.at, zone)
    const last = days.at(-1)
    if (last?.day === day) last.entries.push(entry)
    else days.push({ day, entries: [entry] })
  }
  return days
}
