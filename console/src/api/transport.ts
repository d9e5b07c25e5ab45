/*
 * How requests leave the console: with the header that makes the session cookie count, once more after somebody has signed in again, with
 * a limit to how long they wait, and with failures in one shape.
 */

import type { Clock } from '@/live/clock'
import { ApiFailure, readFailure } from './faults'
import { quoteLongNumbers } from './json'

export const consoleHeader = 'X-Tracewright-Console'

/** Told when the service refuses the token of a request that was sent at `sentAt`. Answers true once the same user has signed in again,
 * so that the request is worth repeating. */
export type TokenEnded = (sentAt: number) => Promise<boolean>

export interface TransportParts {
  fetch: (request: Request, signal: AbortSignal) => Promise<Response>
  tokenEnded: TokenEnded
  /** Ends with the session of whoever is signed in: what they asked for must not be done as the next user. */
  session(): AbortSignal
  /** Told of every request whether an answer came. */
  heard(answered: boolean): void
  /** A request waits for so long that the line may be cut. */
  doubt(): void
  clock: Clock
}

/** How long a request waits for its answer, in milliseconds. */
export interface Patience {
  /** Then it is given up, as if the line were cut. Without it, as long as the browser waits. */
  readonly limit?: number
  /** Then the line is asked whether it is still there. */
  readonly doubtAfter?: number
}

export type Send = (request: Request, patience?: Patience) => Promise<Response>

/** 502 and 504 are words of a proxy: the service itself was not reached. */
export function isAnswer(status: number): boolean {
  return status !== 502 && status !== 504
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

/** The answer, with long numbers made readable without loss. */
async function exact(response: Response): Promise<Response> {
  const type = response.headers.get('Content-Type') ?? ''
  if (response.body === null || !type.includes('json')) return response
  const { status, statusText, headers } = response
  return new Response(quoteLongNumbers(await response.text()), { status, statusText, headers })
}

/** One attempt. JSON is read within its limit; other bodies may take longer. */
async function once(
  parts: TransportParts,
  request: Request,
  session: AbortSignal,
  { limit, doubtAfter }: Patience,
): Promise<Response> {
  const { clock, doubt, heard } = parts
  const unanswered = () => new ApiFailure({ status: 0, message: '' })
  if (session.aborted) throw unanswered()
  const over = new AbortController()
  const cancelDoubt = doubtAfter === undefined ? undefined : clock.after(doubtAfter, doubt)
  const cancelLimit = limit === undefined ? undefined : clock.after(limit, () => over.abort())
  try {
    const response = await parts.fetch(request, AbortSignal.any([request.signal, session, over.signal]))
    heard(isAnswer(response.status))
    return await exact(response)
  } catch (error) {
    // One slow answer does not mean that the line is cut.
    if (over.signal.aborted) doubt()
    else if (session.aborted) throw unanswered()
    else if (isAbort(error)) throw error
    else heard(false)
    throw unanswered()
  } finally {
    cancelDoubt?.()
    cancelLimit?.()
  }
}

/** Sends a request, and throws an `ApiFailure` unless it succeeds. */
export function transport(parts: TransportParts): Send {
  return async (request, patience = {}) => {
    request.headers.set(consoleHeader, '1')
    const byCookie = !request.headers.has('Authorization')
    const again = byCookie ? request.clone() : null
    const sentAt = parts.clock.now()
    const session = parts.session()
    const response = await once(parts, request, session, patience)
    if (response.ok) return response
    const failure = await readFailure(response)
    if (!again || !failure.tokenEnded || !(await parts.tokenEnded(sentAt))) throw failure
    const second = await once(parts, again, session, patience)
    if (second.ok) return second
    throw await readFailure(second)
  }
}
