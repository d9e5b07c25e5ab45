/*
 * Who wants to hear what. A notice makes what was read under its tag stale; pages that show it read it again, unless they say that the
 * notice is not about them.
 */

import type { Clock } from './clock'
import type { Notice } from './stream'

export type Topic = 'production' | 'serial' | 'inventory' | 'task' | 'issue' | 'message' | 'user'

export const journalTopics: Topic[] = ['production', 'serial', 'inventory', 'task', 'issue', 'message']

/** False: this notice changes nothing on the page. */
export type OnNotice = (notice: Notice) => boolean | undefined

interface Subscription {
  topics: ReadonlySet<string>
  onNotice?: OnNotice
}

export interface HubParts {
  clock: Clock
  /** Marks what was read under this tag and is not shown. */
  stale(tag: string): void
  /** Reads again what is shown under this tag. */
  refetch(tag: string): void
}

/** A busy line gives many notices a second; one reading answers all of them. */
const pause = 700

export class Hub {
  private subscriptions = new Set<Subscription>()
  private waiting = new Map<string, { any: boolean; wanted: boolean }>()

  constructor(private readonly parts: HubParts) {}

  subscribe(topics: readonly string[], onNotice?: OnNotice): () => void {
    const subscription = { topics: new Set(topics), onNotice }
    this.subscriptions.add(subscription)
    return () => this.subscriptions.delete(subscription)
  }

  notice(notice: Notice): void {
    const tag = notice.topic.startsWith('user:') ? 'user' : notice.topic
    let wanted = false
    for (const { topics, onNotice } of this.subscriptions) {
      if (topics.has(tag) && onNotice?.(notice) !== false) wanted = true
    }
    this.later(tag, wanted)
  }

  /** The first notice acts at once, those of the next moment together. */
  private later(tag: string, wanted: boolean): void {
    const waiting = this.waiting.get(tag)
    if (waiting) {
      waiting.any = true
      waiting.wanted ||= wanted
      return
    }
    this.act(tag, wanted)
    this.hold(tag)
  }

  private hold(tag: string): void {
    const waiting = { any: false, wanted: false }
    this.waiting.set(tag, waiting)
    this.parts.clock.after(pause, () => {
      this.waiting.delete(tag)
      if (!waiting.any) return
      this.act(tag, waiting.wanted)
      this.hold(tag)
    })
  }

  private act(tag: string, wanted: boolean): void {
    this.parts.stale(tag)
    if (wanted) this.parts.refetch(tag)
  }
}
