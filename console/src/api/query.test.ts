import { expect, it } from 'vitest'
import { ApiFailure } from './faults'
import { retryDelay, worthRetrying } from './query'

const failure = (status: number, retryAfter?: number) => new ApiFailure({ status, message: '', retryAfter })

it('asks again only where that can help', () => {
  expect(worthRetrying(0, failure(0))).toBe(true)
  expect(worthRetrying(1, failure(503))).toBe(true)
  expect(worthRetrying(2, failure(503))).toBe(false)
  for (const status of [400, 401, 403, 404, 422, 500])
    expect(worthRetrying(0, failure(status)), `${status}`).toBe(false)
  expect(worthRetrying(0, new Error('a fault of our own'))).toBe(false)
})

it('waits as long as the service asks for, within reason', () => {
  expect(retryDelay(0, failure(503, 3))).toBe(3000)
  expect(retryDelay(0, failure(503, 600))).toBe(10_000)
  expect(retryDelay(1, failure(0))).toBe(2000)
})
