/*
 * The moment that the page looks at. In the address it is a time, or a date, which means the end of that day here: what stood at the end
 * of a day is what people mean by "as it stood on the 5th".
 */

const BARE_DATE = /^\d{4}-\d\d-\d\d$/

/** The moment that the address names; undefined means now, and so does a moment that is still to come. `now`: by the service; null as
 * long as that is not known, and then the address decides. */
export function parseAsOf(text: string | undefined, now: number | null): number | undefined {
  if (text === undefined) return undefined
  const time = Date.parse(BARE_DATE.test(text) ? `${text}T23:59:59.999` : text)
  return Number.isNaN(time) || (now !== null && time >= now) ? undefined : time
}

/** A moment as the address and the service have it. */
export function isoOf(time: number): string {
  return new Date(time).toISOString()
}

function two(part: number): string {
  return String(part).padStart(2, '0')
}

/** A moment for an input of date and time, in the time of this place. Seconds are left out, as browsers do. */
export function toInput(time: number): string {
  const at = new Date(time)
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** What was entered there; the whole minute counts, so that what happened in it is seen. */
export function fromInput(text: string): number | undefined {
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time + 59_999
}
