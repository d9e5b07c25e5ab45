/*
 * Heartbeats: while somebody works here, the service hears so about three times in the time after which it would pause the job.
 */

import type { Decimal } from '@/api/decimal'

const LONGEST = 100_000

/** Milliseconds between two heartbeats; null where silence pauses nothing. */
export function beatEvery(maxOffline: Decimal): number | null {
  const seconds = Number(maxOffline)
  if (!(seconds > 0)) return null
  return Math.min(Math.max((seconds * 1000) / 3, 500), LONGEST)
}

export interface HeartParts {
  /** Nobody is known to be there: beats are left out. */
  isAway(): boolean
  /** Answers whether the work session is still running; throws if no answer came. */
  beat(jobKey: string, sessionKey: string): Promise<boolean>
  /** The session is over: paused elsewhere, or taken over. */
  onEnd(jobKey: string): void
  every(milliseconds: number, act: () => void): () => void
}

/** Beats for the jobs that are worked on, whatever page is shown. */
export class Heart {
  private beating = new Map<string, { session: string; stop: () => void }>()

  constructor(private readonly parts: HeartParts) {}

  follow(jobKey: string, sessionKey: string, maxOffline: Decimal): void {
    const wait = beatEvery(maxOffline)
    if (this.beating.get(jobKey)?.session === sessionKey) return
    this.drop(jobKey)
    if (wait === null) return
    const beat = () => void this.once(jobKey, sessionKey)
    this.beating.set(jobKey, { session: sessionKey, stop: this.parts.every(wait, beat) })
    beat()
  }

  drop(jobKey: string): void {
    this.beating.get(jobKey)?.stop()
    this.beating.delete(jobKey)
  }

  dropAll(): void {
    for (const jobKey of [...this.beating.keys()]) this.drop(jobKey)
  }

  private async once(jobKey: string, sessionKey: string): Promise<void> {
    if (this.parts.isAway()) return
    try {
      const active = await this.parts.beat(jobKey, sessionKey)
      if (active || this.beating.get(jobKey)?.session !== sessionKey) return
      this.drop(jobKey)
      this.parts.onEnd(jobKey)
    } catch {
      // No answer: the next one may come through.
    }
  }
}
