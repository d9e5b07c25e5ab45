import { expect, it } from 'vitest'
import { bandsOf, type Queued } from '@/areas/production/panel/logic/bands'
import { job as anyJob } from '@/areas/production/panel/logic/samples'
import { actOf, byBand, countBands } from './queue'

const now = new Date('2026-11-19T10:00:00Z')

const job = (change: Partial<Queued>): Queued => ({
  stage: 'created',
  active: false,
  active_batch_key: null,
  next_batch_available: false,
  start_from: null,
  ...change,
})

const running = job({ stage: 'started', active: true, active_batch_key: 'b' })
const paused = job({ stage: 'started', active_batch_key: 'b' })
const fresh = job({ next_batch_available: true })
const waits = job({})

const later = job({ next_batch_available: true, start_from: '2026-11-21' })

it('counts as the operator panel does', () => {
  const jobs = [later, waits, fresh, paused, running, job({ stage: 'closed' })].map((one) => anyJob(one))
  const bands = bandsOf(jobs, [], now)
  const { running: begun, ready, expected } = bands
  expect(countBands(jobs, now)).toEqual({ running: begun.length, ready: ready.length, expected: expected.length })
  expect(countBands(jobs, now)).toEqual({ running: 2, ready: 1, expected: 2 })
  expect(byBand(jobs, now)).toEqual([...begun, ...ready, ...expected].map((entry) => entry.job))
})

it('starts a job or its next batch, resumes what is paused, and opens what runs', () => {
  expect(actOf(fresh)).toBe('home.queue.start')
  expect(actOf(job({ stage: 'started', next_batch_available: true }))).toBe('home.queue.start')
  expect(actOf(paused)).toBe('home.queue.resume')
  expect(actOf(running)).toBe('ui.open')
})

it('puts what is next first and keeps the order of the queue', () => {
  expect(byBand([waits, fresh, paused, running, later, job({ stage: 'closed' })], now)).toEqual([
    running,
    paused,
    fresh,
    waits,
    later,
  ])
})
