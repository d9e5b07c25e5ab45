/*
 * How long the answer to the last scan stands. One that told of success gives way at the next thing that the operator does, or after some
 * seconds: later it would be taken for the answer to something else. A refusal waits for that next thing, however long it takes.
 */

import { type Clock, realClock } from '@/live/clock'

/** Milliseconds: enough to look up from the part to the screen. */
export const SUCCESS_STANDS = 8_000

export interface Standing<A> {
  readonly answer: A
  /** Its time is over, and only its room is kept: nothing on the screen may move under a finger by itself. */
  readonly faded: boolean
}

export class LastAnswer<A extends { readonly ok: boolean }> {
  private standing: Standing<A> | null = null
  private readonly listeners = new Set<() => void>()
  private cancel: () => void = () => undefined

  constructor(private readonly clock: Clock = realClock) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  readonly current = (): Standing<A> | null => this.standing

  readonly say = (answer: A): void => {
    this.put({ answer, faded: false })
    if (answer.ok) this.cancel = this.clock.after(SUCCESS_STANDS, () => this.put({ answer, faded: true }))
  }

  /** The operator has scanned, pressed or typed something. */
  readonly acted = (): void => {
    if (this.standing !== null) this.put(null)
  }

  /**
   * The operator is pressing or typing something, and the page has not heard of it yet. What stands now goes once it has: if the page were
   * drawn anew before, React would put its fields back to what they held, and never hear of what was typed.
   */
  readonly acting = (): void => {
    const { standing } = this
    if (standing === null) return
    this.clock.after(0, () => {
      if (this.standing?.answer === standing.answer) this.acted()
    })
  }

  private put(standing: Standing<A> | null): void {
    this.cancel()
    this.cancel = () => undefined
    this.standing = standing
    for (const listener of this.listeners) listener()
  }
}

const CONTROLS = 'a, button, input, select, summary, textarea, label, [contenteditable]'

/** Hears of everything that the operator presses or types, before the page does. A tap beside all of that is none. */
export function followActs(acting: () => void): () => void {
  const hear = ({ target }: Event) => {
    if (target instanceof Element && target.closest(CONTROLS) !== null) acting()
  }
  for (const kind of ['click', 'input']) document.addEventListener(kind, hear, true)
  return () => {
    for (const kind of ['click', 'input']) document.removeEventListener(kind, hear, true)
  }
}
