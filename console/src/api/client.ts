/*
 * The API of the service, typed by its document. `api.GET(...)` throws an `ApiFailure` unless the request succeeds; `detail` and `bare`
 * take the payload out of the answer.
 */

import createClient from 'openapi-fetch'
import { realClock } from '@/live/clock'
import type { components, paths } from './schema'
import { type Send, type TokenEnded, transport } from './transport'

export type Schemas = components['schemas']

let tokenEnded: TokenEnded = async () => false
let heard: (answered: boolean) => void = () => undefined
let doubt: () => void = () => undefined

/** The session says here what happens when the token is refused. */
export function onTokenEnded(handler: TokenEnded): void {
  tokenEnded = handler
}

/** The line is told here of every request whether an answer came. */
export function onHeard(handler: (answered: boolean) => void): void {
  heard = handler
}

/** The line is told here of requests that wait for long. */
export function onDoubt(handler: () => void): void {
  doubt = handler
}

let session = new AbortController()

/** Whoever was signed in has left: what they asked for ends, and nothing more is sent until somebody is admitted. */
export function endRequests(): void {
  session.abort()
}

/** Somebody is signed in. */
export function admitRequests(): void {
  if (session.signal.aborted) session = new AbortController()
}

function transportWith(onTokenEnded: TokenEnded, ofSession = () => session.signal): Send {
  return transport({
    fetch: (request, signal) => globalThis.fetch(request, { signal }),
    tokenEnded: onTokenEnded,
    session: ofSession,
    heard: (answered) => heard(answered),
    doubt: () => doubt(),
    clock: realClock,
  })
}

/** Sends any request of the console, and waits as long as the browser does: uploads and downloads go this way. */
export const send = transportWith((sentAt) => tokenEnded(sentAt))

/** Sends a request once. The session is told of a refused token, but the request does not wait for the next sign-in. */
export const sendOnce = transportWith(async (sentAt) => {
  void tokenEnded(sentAt)
  return false
})

const always = new AbortController().signal

/** A refused token is an answer here, and nobody has to be signed in. */
const sendPlain = transportWith(
  async () => false,
  () => always,
)

const limit = 60_000

/** Files take as long as they take. */
function isUpload(request: Request): boolean {
  return request.headers.get('Content-Type')?.startsWith('multipart/') === true
}

function limited(way: Send): (request: Request) => Promise<Response> {
  return (request) => way(request, isUpload(request) ? {} : { limit })
}

export const api = createClient<paths>({ baseUrl: '/api', fetch: limited(send), credentials: 'same-origin' })

/** For the session itself: there is nothing to wait for when a token is refused. */
export const plainApi = createClient<paths>({ baseUrl: '/api', fetch: limited(sendPlain), credentials: 'same-origin' })

/** Some answers are an envelope, others the record or list itself. */
interface Answer<T> {
  data?: T
  response: Response
}

/** The payload of an answer with an envelope. */
export async function detail<T>(request: Promise<Answer<{ detail: T }>>): Promise<T> {
  return (await bare(request)).detail
}

/** The payload of an answer without an envelope. */
export async function bare<T>(request: Promise<Answer<T>>): Promise<T> {
  const { data } = await request
  if (data === undefined) throw new Error('the answer has no body')
  return data
}

/** Makes a repeated request harmless. Works without HTTPS too, where `crypto.randomUUID` is missing. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Goes into `params.header` of a mutation. */
export function idempotent(key = newIdempotencyKey()): { 'Idempotency-Key': string } {
  return { 'Idempotency-Key': key }
}
