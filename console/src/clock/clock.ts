/*
 * What time it is for the service. Tablets are often wrong by minutes, and events that wait for the line must still carry the time they
 * happened. Every answer has the service's time, in whole seconds; several of them narrow it down. In between, time is measured by a clock
 * that nobody can set.
 */

interface Bounds {
  readonly low: number
  readonly high: number
}

/** By how much this device's own clock gets ahead of the other when that stood still. */
const asleep = 5_000

/** The last time that was stamped for something, by its key. */
export interface Stamped {
  get(key: string): number | undefined
  set(key: string, time: number): void
}

export class ServiceClock {
  private bounds: Bounds | null = null
  private ahead: number

  /** `now`: milliseconds since any moment, always going forward, though some devices stop it while they sleep. `device`: their own time. */
  constructor(
    private readonly now: () => number,
    private readonly stamped: Stamped = new Map<string, number>(),
    private readonly device: () => number = now,
  ) {
    this.ahead = device() - now()
  }

  /** Asks, and notes the service's time with the answer. */
  async timed<T extends { response: Response }>(ask: () => Promise<T>): Promise<T> {
    const sentAt = this.now()
    const answer = await ask()
    this.note(answer.response.headers.get('Date'), sentAt, this.now())
    return answer
  }

  /** `date`: the header of an answer to a request that was sent at `sentAt` and answered at `heardAt`. */
  note(date: string | null, sentAt: number, heardAt: number): void {
    const told = date === null ? Number.NaN : Date.parse(date)
    if (Number.isNaN(told)) return
    this.noticeSleep()
    // The service wrote the header between the two moments, and cut off up to a second.
    const seen = { low: told - heardAt, high: told + 999 - sentAt }
    const both = this.bounds
      ? { low: Math.max(seen.low, this.bounds.low), high: Math.min(seen.high, this.bounds.high) }
      : seen
    // They contradict each other if the service's clock was set, or this device slept: the newest counts.
    this.bounds = both.low <= both.high ? both : seen
  }

  /** Null as long as no answer has told. */
  time(): number | null {
    this.noticeSleep()
    return this.bounds === null ? null : Math.round(this.now() + (this.bounds.low + this.bounds.high) / 2)
  }

  /** How long it was is not known, since people may set the device's clock. */
  private noticeSleep(): void {
    const ahead = this.device() - this.now()
    if (ahead - this.ahead > asleep) this.bounds = null
    this.ahead = ahead
  }

  /** The time for an event of a job: never before what it ends began, nor before what was stamped for the job earlier. */
  stamp(jobKey: string, ...began: (string | null | undefined)[]): { timestamp?: string } {
    const time = this.time()
    if (time === null) return {}
    const earliest = began.map((text) => (text ? Date.parse(text) : Number.NaN)).filter((one) => !Number.isNaN(one))
    const at = Math.max(time, this.stamped.get(jobKey) ?? time, ...earliest)
    this.stamped.set(jobKey, at)
    return { timestamp: new Date(at).toISOString() }
  }
}
