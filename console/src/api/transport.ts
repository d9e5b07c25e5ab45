/*
 * How requests leave the console: with the header that makes the session cookie count, once more after somebody has signed in again, and
 * with failures in one shape.
 */

import { ApiFailure, readFailure } from './faults'
import { quoteLongNumbers } from './json'

export const consoleHeader = 'X-Tracewright-Console'

/** Told when the service refuses the token of a request that was sent at `sentAt`. Answers true once the same user has signed in again,
 * so that the request is worth repeating. */
export type TokenEnded = (sentAt: number) => Promise<boolean>

export interface TransportParts {
  fetch: (request: Request) => Promise<Response>
  tokenEnded: TokenEnded
  /** Told of every request whether an answer came. */
  heard(answered: boolean): void
  now(): number
}

/** 502 and 504 are words of a proxy: the service itself was not reached. */
export function isAnswer(status: number): boolean {
  return status !== 502 && status !== 504
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

async function once({ fetch, heard }: TransportParts, request: Request): Promise<Response> {
  try {
    const response = await fetch(request)
    heard(isAnswer(response.status))
    return response
  } catch (error) {
    if (isAbort(error)) throw error
    heard(false)
    throw new ApiFailure({ status: 0, message: '' })
  }
}

/** The answer, with long numbers made readable without loss. */
async function exact(response: Response): Promise<Response> {
  const type = response.headers.get('Content-Type') ?? ''
  if (response.body === null || !type.includes('json')) return response
  const { status, statusText, headers } = response
  return new Response(quoteLongNumbers(await response.text()), { status, statusText, headers })
}

/** Sends a request, and throws an `ApiFailure` unless it succeeds. */
export function transport(parts: TransportParts): (request: Request) => Promise<Response> {
  return async (request) => {
    request.headers.set(consoleHeader, '1')
    const byCookie = !request.headers.has('Authorization')
    const again = byCookie ? request.clone() : null
    const sentAt = parts.now()
    const response = await once(parts, request)
    if (response.ok) return exact(response)
    const failure = await readFailure(response)
    if (!again || !failure.tokenEnded || !(await parts.tokenEnded(sentAt))) throw failure
    const second = await once(parts, again)
    if (second.ok) return exact(second)
    throw await readFailure(second)
  }
}
