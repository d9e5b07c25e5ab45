import { describe, expect, it } from 'vitest'
import { ApiFailure, failureFrom, failureOf, readFailure } from './faults'

describe('failures of the service', () => {
  it('have all faults of the input, with the path to each', () => {
    const failure = failureFrom(422, {
      detail: [
        { type: 'missing', loc: ['body', 'components', 2, 'qt'], msg: 'A required member is missing.', input: null },
        { type: 'less_than_equal', loc: ['query', 'limit'], msg: 'The number is too large.', input: 1 },
      ],
    })
    expect(failure.faults.map(({ path, message }) => [path, message])).toEqual([
      ['components.2.qt', 'A required member is missing.'],
      ['limit', 'The number is too large.'],
    ])
    expect(failure.message).toBe('A required member is missing. The number is too large.')
  })

  it('have the words and data of a rule', () => {
    const failure = failureFrom(422, {
      detail: { error_type: 'StepsMissingError', message: 'Some steps are not done.', step_keys: ['a'] },
    })
    expect(failure).toMatchObject({ status: 422, errorType: 'StepsMissingError', message: 'Some steps are not done.' })
    expect(failure.data).toEqual({ step_keys: ['a'] })
    expect(failure.faults).toEqual([])
  })

  it('tell an address that names nothing from a wrong value', () => {
    const at = (...places: string[]) =>
      new ApiFailure({
        status: 422,
        message: '',
        faults: places.map((place) => ({ path: place, loc: [place, 'serial_key'], message: '', type: '' })),
      })
    expect(at('path').badAddress).toBe(true)
    expect(at('path', 'query').badAddress).toBe(false)
    expect(at().badAddress).toBe(false)
  })

  it('tell an ended token from wrong credentials', () => {
    expect(failureFrom(401, { detail: { message: 'x', code: 'token' } }).tokenEnded).toBe(true)
    expect(failureFrom(401, { detail: { message: 'x', code: 'credentials' } }).tokenEnded).toBe(false)
  })

  it('take a plain sentence, and whatever a proxy answers', async () => {
    expect(failureFrom(404, { detail: 'There is no such unit.' }).message).toBe('There is no such unit.')
    const page = new Response('<html>Bad gateway</html>', { status: 502 })
    const failure = await readFailure(page)
    expect(failure).toMatchObject({ status: 502, message: '', temporary: true })
  })

  it('carry how long to wait and what to quote', async () => {
    const headers = { 'Retry-After': '7', 'X-Request-Id': 'abc', 'Content-Type': 'application/json' }
    const answer = new Response('{"detail":{"message":"Busy."}}', { status: 503, headers })
    expect(await readFailure(answer)).toMatchObject({
      message: 'Busy.',
      retryAfter: 7,
      requestId: 'abc',
      temporary: true,
    })
  })

  it('are told from faults of the console itself', () => {
    const own = new ApiFailure({ status: 0, message: '' })
    expect(failureOf(own)).toBe(own)
    expect(own.offline).toBe(true)
    expect(failureOf(new TypeError('x is undefined'))).toMatchObject({ status: -1, offline: false, temporary: false })
  })
})
