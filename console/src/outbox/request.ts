import { createQuerySerializer, defaultPathSerializer } from 'openapi-fetch'
import type { paths } from '@/api/schema'
import type { OutboxMethod, OutboxRequest } from './queue'

type Operation<P extends keyof paths, M extends OutboxMethod> = paths[P][Lowercase<M> & keyof paths[P]]

type PathsWith<M extends OutboxMethod> = {
  [P in keyof paths]: paths[P] extends Record<Lowercase<M>, infer O> ? (O extends object ? P : never) : never
}[keyof paths]

type Given<T> = Exclude<T, undefined>

type JsonOf<R> = [R] extends [never] ? never : R extends { content: { 'application/json': infer B } } ? B : never

type BodyOf<O> = O extends { requestBody?: infer R }
  ? [JsonOf<Given<R>>] extends [never]
    ? { body?: undefined }
    : { body: JsonOf<Given<R>> }
  : { body?: undefined }

type ParamsOf<O> = O extends { parameters: { path: infer P } } ? { path: P } : { path?: undefined }

type QueryOf<O> = O extends { parameters: { query?: infer Q } } ? { query?: Q } : { query?: undefined }

type Rest = Pick<OutboxRequest, 'group' | 'refused'>

const serializeQuery = createQuerySerializer()

/** A request for the outbox, typed by the API document: `outboxRequest('POST', '/event', { body, group: jobKey })`. */
export function outboxRequest<M extends OutboxMethod, P extends PathsWith<M>>(
  method: M,
  path: P,
  input: BodyOf<Operation<P, M>> & ParamsOf<Operation<P, M>> & QueryOf<Operation<P, M>> & Rest,
): OutboxRequest {
  const {
    body,
    path: names,
    query,
    group,
    refused,
  } = input as {
    body?: unknown
    path?: Record<string, unknown>
    query?: Record<string, unknown>
  } & Rest
  const search = query ? serializeQuery(query) : ''
  const address = defaultPathSerializer(path, names ?? {})
  const content = body === undefined ? undefined : JSON.stringify(body)
  return { method, path: search === '' ? address : `${address}?${search}`, body: content, group, refused }
}
