/*
 * Whether the service can be reached. Every request tells; while none does, a small one asks. A browser's own `navigator.onLine` only
 * knows of its network card, so it is a hint to ask at once, never an answer.
 */

import type { Clock } from './clock'

export interface LineParts {
  clock: Clock
  /** Asks the service anything; resolves if an answer came. */
  ping(): Promise<void>
}

const quietFor = 20_000
const retryAfter = 3_000

export class Line {
  private up = true
  private running = false
  private cancel: () => void = () => undefined
  private listeners = new Set<() => void>()

  constructor(private readonly parts: LineParts) {}

  readonly isUp = (): boolean => this.up

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  start(): void {
    this.running = true
    this.schedule()
  }

  stop(): void {
    this.running = false
    this.cancel()
  }

  /** An answer came to some request, or none did. */
  readonly heard = (answered: boolean): void => {
    this.schedule(answered ? quietFor : retryAfter)
    if (answered === this.up) return
    this.up = answered
    for (const listener of this.listeners) listener()
  }

  /** Asks now: the browser says that its network has come or gone, or an answer does not come. */
  readonly ask = async (): Promise<void> => {
    if (!this.running) return
    this.cancel()
    await this.parts.ping().then(
      () => this.heard(true),
      () => this.heard(false),
    )
  }

  private schedule(wait = this.up ? quietFor : retryAfter): void {
    this.cancel()
    if (this.running) this.cancel = this.parts.clock.after(wait, this.ask)
  }
}
