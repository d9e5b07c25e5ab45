import { expect, it } from 'vitest'
import { outboxRequest } from './request'

it('fills in the parameters of the path and the query', () => {
  const request = outboxRequest('DELETE', '/session/{session_key}', {
    path: { session_key: 'a b' },
    query: { force: true },
    group: 'g',
  })
  expect(request).toEqual({ method: 'DELETE', path: '/session/a%20b?force=true', body: undefined, group: 'g' })
})

it('carries the body as JSON', () => {
  const body = { event_type: 'JOB_STARTED', job_key: 'j' } as const
  expect(outboxRequest('POST', '/event', { body })).toMatchObject({
    method: 'POST',
    path: '/event',
    body: JSON.stringify(body),
  })
})
