import { describe, expect, it } from 'vitest'
import type { OutboxEntry } from '@/outbox'
import type { Batch, StepRecord } from '../model'
import { beginsAt, entriesOf, overlay } from './pending'
import { jobDetail } from './samples'

function entry(body: Record<string, unknown>): OutboxEntry {
  const request = { method: 'POST' as const, path: '/event', body: JSON.stringify({ job_key: 'j', ...body }) }
  const who = { user_key: 'anna', user_name: 'Anna' }
  return { key: 'k', ...who, label: '', request, order: 1, queuedAt: 0, sentAt: null, refusal: null }
}

const record = (key: string, done = false): StepRecord => ({
  _key: key,
  type: 'form',
  done,
  critical: false,
  form_data: [],
  execution_record_key: null,
})
const job = jobDetail({ stage: 'started', active: true, active_batch_key: 'b' })
const batch = { _key: 'b', step_data: [record('a'), record('c')] } as unknown as Batch
const stepDone = (step: string, rest = {}) =>
  entry({ event_type: 'STEP_COMPLETED', batch_key: 'b', step_key: step, ...rest })

describe('what waits for the line', () => {
  it('is told apart by its job', () => {
    const other = entry({ event_type: 'JOB_PAUSED', job_key: 'x' })
    expect(entriesOf([other, stepDone('a')], 'j')).toHaveLength(1)
  })
  it('shows steps as done, so that work can go on', () => {
    const known = overlay(job, batch, [stepDone('a', { critical: true })])
    expect(known.batch?.step_data.map(({ done, critical }) => [done, critical])).toEqual([
      [true, true],
      [false, false],
    ])
    expect(known.waiting).toBe(false)
    expect(batch.step_data[0]?.done).toBe(false)
  })
  it('waits once the last step ends the batch', () => {
    expect(overlay(job, batch, [stepDone('a'), stepDone('c')]).waiting).toBe(true)
    expect(overlay(job, batch, [stepDone('a'), stepDone('c', { complete_batch: false })]).waiting).toBe(false)
  })
  it('leaves another batch alone', () => {
    const known = overlay(job, batch, [stepDone('a', { batch_key: 'old' })])
    expect(known.batch?.step_data[0]?.done).toBe(false)
  })
  it('pauses and resumes', () => {
    const paused = overlay(job, batch, [entry({ event_type: 'JOB_PAUSED' })])
    expect([paused.job.active, paused.waiting]).toEqual([false, false])
    const again = overlay(job, batch, [entry({ event_type: 'JOB_PAUSED' }), entry({ event_type: 'JOB_RESUMED' })])
    expect([again.job.active, again.waiting]).toEqual([true, false])
  })
  it.each(['JOB_STARTED', 'BATCH_COMPLETED', 'ACTIVE_BATCH_CHANGED', 'JOB_BACK_ONLINE'])(
    'waits for the answer to %s',
    (type) => {
      expect(overlay(job, batch, [entry({ event_type: type })]).waiting).toBe(true)
    },
  )
  it('waits for the units of a next batch', () => {
    const between = jobDetail({ stage: 'started', active_batch_key: null })
    expect(overlay(between, null, [entry({ event_type: 'JOB_RESUMED' })]).waiting).toBe(true)
  })
  it('does not wait for an issue', () => {
    expect(overlay(job, batch, [entry({ event_type: 'ISSUE_CREATED' })]).waiting).toBe(false)
  })
})

describe('after something was refused', () => {
  const first = stepDone('a', { timestamp: '2026-11-17T10:05:00.000Z' })
  const second = stepDone('c', { timestamp: '2026-11-17T10:09:00.000Z' })
  it('work begins again with the first of it', () => {
    expect(beginsAt([second, first], null, '2026-11-17T10:01:00.000Z')).toEqual({
      timestamp: '2026-11-17T10:05:00.000Z',
    })
  })
  it('but not before it ended', () => {
    expect(beginsAt([first], '2026-11-17T09:00:00.000Z', '2026-11-17T10:07:00.000Z')).toEqual({
      timestamp: '2026-11-17T10:07:00.000Z',
    })
  })
  it('and now if nothing was refused', () => {
    expect(beginsAt([], '2026-11-17T09:00:00.000Z')).toBeNull()
    expect(beginsAt([stepDone('a')], null)).toBeNull()
  })
})
