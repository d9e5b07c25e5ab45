import { describe, expect, it } from 'vitest'
import * as events from './events'
import { markQuantity, markUnit } from './scrap'

const at = { timestamp: '2026-11-17T10:00:00.000Z' }
const batch = { jobKey: 'j', batchKey: 'b', total: 4, marks: [], steps: null }
const values = [{ form_field_key: 'f', value: 5.5 }]

describe('events', () => {
  it('begin work, with units only if some are named', () => {
    expect(events.jobStarted('j', [], {})).toEqual({ event_type: 'JOB_STARTED', job_key: 'j' })
    expect(events.jobStarted('j', [{ serial_code: 'B-8' }], at)).toEqual({
      event_type: 'JOB_STARTED',
      job_key: 'j',
      batch_serials: [{ serial_code: 'B-8' }],
      ...at,
    })
    expect(events.jobResumed('j', [{ serial_key: 'u' }], {})).toMatchObject({ batch_serials: [{ serial_key: 'u' }] })
    expect(events.jobResumed('j', [], {})).not.toHaveProperty('batch_serials')
  })
  it('pause the session that is running', () => {
    expect(events.jobPaused('j', 's', at)).toEqual({
      event_type: 'JOB_PAUSED',
      job_key: 'j',
      work_session_key: 's',
      ...at,
    })
    expect(events.jobPaused('j', null, {})).not.toHaveProperty('work_session_key')
    expect(events.jobPauseForced('j', 's', {})).toMatchObject({ event_type: 'JOB_PAUSE_FORCED' })
  })
  it('come back online from the last sign of life, or now', () => {
    expect(events.jobBackOnline('j', '2026-11-17T09:00:00.000Z')).toMatchObject({
      timestamp: '2026-11-17T09:00:00.000Z',
    })
    expect(events.jobBackOnline('j', null)).toEqual({ event_type: 'JOB_BACK_ONLINE', job_key: 'j' })
  })
  it('complete a step', () => {
    const step = { jobKey: 'j', batchKey: 'b', stepKey: 's', data: values, critical: false, ends: true }
    expect(events.stepCompleted(step, at)).toEqual({
      event_type: 'STEP_COMPLETED',
      job_key: 'j',
      batch_key: 'b',
      step_key: 's',
      form_data: values,
      critical: false,
      complete_batch: true,
      ...at,
    })
    expect(events.stepCompleted({ ...step, ends: false }, {})).toMatchObject({ complete_batch: false })
    expect(events.stepEdited('j', 'r', values, {})).toMatchObject({ execution_record_key: 'r', form_data: values })
  })
  it('complete a batch in which all is good', () => {
    expect(events.batchCompleted(batch, {})).toEqual({
      event_type: 'BATCH_COMPLETED',
      job_key: 'j',
      active_batch_key: 'b',
      completed_batch_qt: '4',
    })
  })
  it('scrap units by name', () => {
    const marks = markUnit(markUnit([], 'u1', 'bent'), 'u2', 'bent')
    const sent = events.batchCompleted({ ...batch, marks }, {})
    expect(sent).toMatchObject({ completed_batch_qt: '2', scrap_serial_keys: ['u1', 'u2'], scrap_reason: 'bent' })
    expect(sent).not.toHaveProperty('scrap_qt')
  })
  it('scrap other things by number, exactly', () => {
    const sent = events.batchCompleted({ ...batch, total: '0.3', marks: markQuantity([], '0.1', 'short') }, {})
    expect(sent).toMatchObject({ completed_batch_qt: '0.2', scrap_qt: '0.1', scrap_reason: 'short' })
    expect(sent).not.toHaveProperty('scrap_serial_keys')
  })
  it('scrap a whole batch', () => {
    const sent = events.batchCompleted({ ...batch, total: 1, marks: markUnit([], 'u', 'fell') }, {})
    expect(sent).toMatchObject({ completed_batch_qt: '0', scrap_serial_keys: ['u'] })
  })
  it('bring the values of steps that are not confirmed one by one', () => {
    const steps = [{ key: 's', data: values, critical: true }]
    expect(events.batchCompleted({ ...batch, steps }, {})).toMatchObject({
      step_data: [{ step_key: 's', form_data: values, critical: true }],
    })
    expect(events.batchCompleted({ ...batch, steps: [] }, {})).not.toHaveProperty('step_data')
  })
  it('change the batch, and label a unit', () => {
    expect(events.batchChanged('j', '12', [], {})).toEqual({
      event_type: 'ACTIVE_BATCH_CHANGED',
      job_key: 'j',
      new_active_batch_qt: '12',
    })
    expect(events.unitLabelled('u', 'B-8', {})).toMatchObject({ serial_key: 'u', serial_code: 'B-8', unscrap: false })
  })
  it('report an issue about everything that is on the bench', () => {
    const job = { _key: 'j', wo_key: 'o', product_key: 'p', phase_key: 'ph' }
    const sent = events.issueCreated({ typeKey: 't', title: 'x'.repeat(300), note: ' ', job, unitKey: 'u' }, {})
    const { issue_data } = sent as Extract<events.SentEvent, { event_type: 'ISSUE_CREATED' }>
    expect(issue_data.linked_to?.map(({ type, key }) => `${type} ${key}`)).toEqual([
      'job j',
      'work_order o',
      'product p',
      'phase ph',
      'serial u',
    ])
    expect(issue_data.title).toHaveLength(200)
    expect(issue_data).not.toHaveProperty('description')
    expect(issue_data).not.toHaveProperty('critical')
  })
  it('describe an issue only by what its title has no room for', () => {
    const job = { _key: 'j', wo_key: 'o', product_key: 'p', phase_key: 'ph' }
    const told = (note: string) => {
      const sent = events.issueCreated({ typeKey: null, title: note.trim(), note, job, unitKey: null }, {})
      return (sent as Extract<events.SentEvent, { event_type: 'ISSUE_CREATED' }>).issue_data
    }
    expect(told(' Bent pin ')).not.toHaveProperty('description')
    expect(told('x'.repeat(200))).not.toHaveProperty('description')
    expect(told('x'.repeat(201)).description).toHaveLength(201)
  })
})
