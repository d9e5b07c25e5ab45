/*
 * What was sent and got no answer: it may have been carried out. Sent again it keeps its key, so that it is carried out once.
 */

import { failureOf, newIdempotencyKey } from '@/api'

export class Sending {
  private readonly keys = new Map<string, string>()
  private readonly made = new Map<string, unknown>()

  /** The same request has the same key until its answer is known. */
  keyFor(request: unknown): string {
    const text = JSON.stringify(request)
    const key = this.keys.get(text) ?? newIdempotencyKey()
    this.keys.set(text, key)
    return key
  }

  /** For a request that is made from what is stored, which it may have changed already: the second time it goes as it went the first. */
  async madeOnce<T>(what: readonly unknown[], make: () => Promise<T>): Promise<T> {
    const text = JSON.stringify(what)
    const known = this.made.get(text) as T | undefined
    if (known !== undefined) return known
    const made = await make()
    this.made.set(text, made)
    return made
  }

  /** Whether a request of this kind waits for its answer. */
  isOpen(what: readonly unknown[]): boolean {
    return this.made.has(JSON.stringify(what))
  }

  /** The answer is known: who asks for the same again means it anew. */
  settle(): void {
    this.keys.clear()
    this.made.clear()
  }
}

/** Does something; only what got no answer, or is asked to come again, keeps its keys. */
export async function settling<T>(sending: Sending, deed: () => Promise<T>): Promise<T> {
  try {
    const done = await deed()
    sending.settle()
    return done
  } catch (error) {
    if (!failureOf(error).temporary) sending.settle()
    throw error
  }
}
