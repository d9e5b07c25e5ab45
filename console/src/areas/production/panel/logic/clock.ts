/*
 * What time it is for the service. Tablets are often wrong by minutes, and events that wait for the line must still carry the time they
 * happened. Every answer has the service's time, in whole seconds; several of them narrow it down.
 */

interface Bounds {
  readonly low: number
  readonly high: number
}

export class ServiceClock {
  private bounds: Bounds | null = null

  constructor(private readonly now: () => number) {}

  /** `date`: the header of an answer to a request that was sent at `sentAt` and answered at `heardAt`. */
  note(date: string | null, sentAt: number, heardAt: number): void {
    const told = date === null ? Number.NaN : Date.parse(date)
    if (Number.isNaN(told)) return
    // The service wrote the header between the two moments, and cut off up to a second.
    const seen = { low: told - heardAt, high: told + 999 - sentAt }
    const both = this.bounds
      ? { low: Math.max(seen.low, this.bounds.low), high: Math.min(seen.high, this.bounds.high) }
      : seen
    // They contradict each other if a clock was set in between: the newest counts.
    this.bounds = both.low <= both.high ? both : seen
  }

  /** Null as long as no answer has told. */
  time(): number | null {
    return this.bounds === null ? null : this.now() + Math.round((this.bounds.low + this.bounds.high) / 2)
  }

  /** The time for an event that ends something: never before that began. */
  stamp(...began: (string | null | undefined)[]): { timestamp?: string } {
    const time = this.time()
    if (time === null) return {}
    const earliest = began.map((text) => (text ? Date.parse(text) : Number.NaN)).filter((one) => !Number.isNaN(one))
    return { timestamp: new Date(Math.max(time, ...earliest)).toISOString() }
  }
}
