import type { Scanned } from './gs1'

/**
 * What a handler says of a scan: taken or refused, perhaps with words; undefined declines, and the next one is asked. `shown`: the page
 * itself shows the words, so they are only heard.
 */
export type ScanAnswer = { readonly ok: boolean; readonly say?: string; readonly shown?: boolean } | undefined

export type ScanHandler = (scan: Scanned) => ScanAnswer | Promise<ScanAnswer>

interface Entry {
  readonly handler: ScanHandler
  /** Whether it also gets codes that were typed into the scan box. */
  readonly typed: boolean
  readonly priority: number
  readonly order: number
}

/** Who gets a scan: the highest priority first, of equal ones the newest. */
export class HandlerStack {
  private entries: Entry[] = []
  private added = 0

  add(handler: ScanHandler, priority: number, typed = false): () => void {
    this.added += 1
    const entry = { handler, typed, priority, order: this.added }
    this.entries = [...this.entries, entry].sort((a, b) => b.priority - a.priority || b.order - a.order)
    return () => {
      this.entries = this.entries.filter((one) => one !== entry)
    }
  }

  /** Asks one after the other until one answers. */
  async offer(scan: Scanned, by: 'scanner' | 'hand' = 'scanner'): Promise<ScanAnswer> {
    for (const { handler, typed } of this.entries) {
      if (by === 'hand' && !typed) continue
      const answer = await handler(scan)
      if (answer !== undefined) return answer
    }
    return undefined
  }
}
