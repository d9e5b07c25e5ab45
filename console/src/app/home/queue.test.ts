import { expect, it } from 'vitest'
import { actOf, bandOf, byBand, countBands, type QueuedJob } from './queue'

const job = (change: Partial<QueuedJob>): QueuedJob => ({
  stage: 'created',
  active: false,
  active_batch_key: null,
  next_batch_available: false,
  ...change,
})

const running = job({ stage: 'started', active: true, active_batch_key: 'b' })
const paused = job({ stage: 'started', active_batch_key: 'b' })
const fresh = job({ next_batch_available: true })
const waits = job({})

it('tells what can be worked on', () => {
  expect(bandOf(running)).toBe('running')
  expect(bandOf(paused)).toBe('ready')
  expect(bandOf(fresh)).toBe('ready')
  expect(bandOf(waits)).toBe('expected')
})

it('resumes only what somebody has paused', () => {
  expect(actOf(fresh)).toBe('start')
  expect(actOf(running)).toBe('goOn')
  expect(actOf(paused)).toBe('resume')
  expect(actOf(job({ stage: 'started', next_batch_available: true }))).toBe('goOn')
})

it('puts what is next first and keeps the order of the queue', () => {
  expect(byBand([waits, fresh, paused, running, job({ stage: 'closed' })])).toEqual([running, fresh, paused, waits])
  expect(countBands([waits, fresh, paused, running])).toEqual({ running: 1, ready: 2, expected: 1 })
})
