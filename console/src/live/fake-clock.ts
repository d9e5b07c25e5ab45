import type { Clock } from './clock'

/** A clock that tests turn by hand. */
export class FakeClock implements Clock {
  private time = 0
  private timers: { at: number; call: () => void }[] = []

  now(): number {
    return this.time
  }

  after(milliseconds: number, call: () => void): () => void {
    const timer = { at: this.time + milliseconds, call }
    this.timers.push(timer)
    return () => {
      this.timers = this.timers.filter((one) => one !== timer)
    }
  }

  /** Lets time pass: timers act in their order, and what they promised is settled before the next. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.time + milliseconds
    await settled()
    for (let next = this.due(end); next; next = this.due(end)) {
      this.timers = this.timers.filter((one) => one !== next)
      this.time = next.at
      next.call()
      await settled()
    }
    this.time = end
  }

  private due(end: number) {
    return this.timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0]
  }
}

/** Everything that is ready to run has run. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
