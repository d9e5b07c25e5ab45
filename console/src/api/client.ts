/*
 * The API of the service, typed by its document. `api.GET(...)` throws an `ApiFailure` unless the request succeeds; `detail` and `bare`
 * take the payload out of the answer.
 */

import createClient from 'openapi-fetch'
import type { components, paths } from './schema'
import { type TokenEnded, transport } from './transport'

export type Schemas = components['schemas']

let tokenEnded: TokenEnded = async () => false
let heard: (answered: boolean) => void = () => undefined

/** The session says here what happens when the token is refused. */
export function onTokenEnded(handler: TokenEnded): void {
  tokenEnded = handler
}

/** The line is told here of every request whether an answer came. */
export function onHeard(handler: (answered: boolean) => void): void {
  heard = handler
}

/** Sends any request of the console: downloads and the outbox go this way too. */
export const send = transport({
  fetch: (request) => globalThis.fetch(request),
  tokenEnded: (sentAt) => tokenEnded(sentAt),
  heard: (answered) => heard(answered),
  now: () => Date.now(),
})

export const api = createClient<paths>({ baseUrl: '/api', fetch: send, credentials: 'same-origin' })

/** For the session itself: a refused token is an answer here, nothing to wait for. */
export const plainApi = createClient<paths>({
  baseUrl: '/api',
  credentials: 'same-origin',
  fetch: transport({
    fetch: (request) => globalThis.fetch(request),
    tokenEnded: async () => false,
    heard: (answered) => heard(answered),
    now: () => Date.now(),
  }),
})

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
