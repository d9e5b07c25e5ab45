const form = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/

/** Milliseconds of an ISO 8601 duration of days and less, such as `PT30M`; 0 if it is none. */
export function milliseconds(duration: string): number {
  const match = form.exec(duration)
  if (!match) return 0
  const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0))
  return ((((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)) * 1000
}
