import { describe, expect, it } from 'vitest'
import { bandOf, bandsOf, expectationOf, meantBy, nextJob } from './bands'
import { job } from './samples'

const now = new Date('2026-11-17T10:00:00Z')
const running = job({ _key: 'run', stage: 'started', active: true, active_batch_key: 'b', wo_code: 'WO-1' })
const paused = job({ _key: 'paused', stage: 'started', active_batch_key: 'b', wo_code: 'WO-2' })
const ready = job({ _key: 'ready', wo_code: 'WO-3' })
const between = job({ _key: 'between', stage: 'started', wo_code: 'WO-1' })
const starved = job({ _key: 'starved', next_batch_available: false, first_phase: false, wo_code: 'WO-3' })
const later = job({ _key: 'later', start_from: '2026-11-20T00:00:00.000Z' })
const closed = job({ _key: 'closed', stage: 'closed' })

describe('bands of the queue', () => {
  it('knows where a job stands', () => {
    const bands = [running, paused, ready, between, starved, later, closed].map((one) => bandOf(one, now))
    expect(bands).toEqual(['running', 'running', 'ready', 'ready', 'expected', 'expected', null])
  })

  it('says what an expected job waits for', () => {
    expect(expectationOf(starved, now)).toBe('supply')
    expect(expectationOf(later, now)).toBe('later')
  })

  it('takes a start that is due as ready', () => {
    expect(bandOf(job({ start_from: '2026-11-17T09:59:59.000Z' }), now)).toBe('ready')
    expect(bandOf(job({ stage: 'started', start_from: '2026-11-20T00:00:00.000Z' }), now)).toBe('ready')
  })

  it('puts what runs first, then what is paused, and jobs of nobody last', () => {
    const free = job({ _key: 'free' })
    const bands = bandsOf([paused, running, ready, starved], [free], now)
    expect(bands.running.map(({ job: { _key } }) => _key)).toEqual(['run', 'paused'])
    expect(bands.ready.map(({ job: { _key }, free: isFree }) => [_key, isFree])).toEqual([
      ['ready', false],
      ['free', true],
    ])
    expect(bands.expected.map(({ job: { _key } }) => _key)).toEqual(['starved'])
  })

  it('goes on with what was begun, else with what is ready', () => {
    expect(nextJob(bandsOf([running, ready], [], now), 'run')?._key).toBe('ready')
    expect(nextJob(bandsOf([paused, ready], [], now), 'x')?._key).toBe('paused')
    expect(nextJob(bandsOf([starved], [], now), 'x')).toBeNull()
  })

  it('finds the job that a scanned order means', () => {
    const bands = bandsOf([starved, ready, between, running], [], now)
    expect(meantBy(bands, ({ wo_code }) => wo_code === 'WO-3')?._key).toBe('ready')
    expect(meantBy(bands, ({ wo_code }) => wo_code === 'WO-1')?._key).toBe('run')
    expect(meantBy(bands, ({ wo_code }) => wo_code === 'WO-9')).toBeNull()
  })
})
