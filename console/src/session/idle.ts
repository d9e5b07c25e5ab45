/*
 * How long nobody has touched the console. The moment of the last input is shared by all tabs and outlives a reload, so neither a second
 * tab nor the reload button opens a lock.
 */

export interface IdleStorage {
  get(): string | null
  set(value: string): void
}

const grain = 5_000

export class IdleClock {
  private written = 0

  constructor(
    private readonly storage: IdleStorage,
    private readonly now: () => number,
  ) {}

  /** Somebody is there. Writes at most every five seconds. */
  touch(): void {
    const now = this.now()
    if (now - this.written < grain && now >= this.written) return
    this.written = now
    this.storage.set(String(now))
  }

  /** Milliseconds since the last input in any tab; 0 if there was none yet. */
  idleFor(): number {
    const last = Number(this.storage.get() ?? Number.NaN)
    return Number.isFinite(last) ? Math.max(this.now() - last, 0) : 0
  }

  isOver(idleAfter: number): boolean {
    return idleAfter > 0 && this.idleFor() >= idleAfter
  }
}
