/** Time, passed in so that tests can turn it. */
export interface Clock {
  now(): number
  /** Calls back once; the answer cancels. */
  after(milliseconds: number, call: () => void): () => void
}

export const realClock: Clock = {
  now: () => Date.now(),
  after: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds)
    return () => clearTimeout(timer)
  },
}
