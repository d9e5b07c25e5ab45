import { useState } from 'react'

/** Does one thing after the other: each sees what the one before has changed. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve()

  take<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.last.then(act, act)
    this.last = turn
    return turn
  }
}

export function useTurns(): Turns {
  return useState(() => new Turns())[0]
}
