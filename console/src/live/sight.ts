/*
 * Browsers allow six connections to a host without HTTP/2, for all tabs together: a page that nobody looks at has no stream.
 */

import type { Clock } from './clock'
import type { Stream } from './stream'

export interface SightParts {
  clock: Clock
  isHidden(): boolean
  /** Calls back when the page is hidden or shown; the answer ends that. */
  onChange(call: () => void): () => void
}

/** Whoever only looks something up in another tab comes back to a page that has gone on. */
const hiddenFor = 5_000

/** Opens the stream while the page is looked at, until the answer is called. */
export function streamInSight(parts: SightParts, stream: Pick<Stream, 'current' | 'pause' | 'resume'>): () => void {
  let cancelPause: () => void = () => undefined
  const looked = () => {
    cancelPause()
    if (parts.isHidden()) cancelPause = parts.clock.after(hiddenFor, () => stream.pause())
    else if (stream.current === 'off') stream.resume()
  }
  if (!parts.isHidden()) stream.resume()
  const forget = parts.onChange(looked)
  return () => {
    cancelPause()
    forget()
  }
}
