import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import en from '@/i18n/en'
import { batchState, issueState, jobState, orderState, STATES, type StateKind } from './states'

interface Document {
  components: { schemas: Record<string, { enum?: string[] }> }
}

const document = JSON.parse(readFileSync(new URL('../../../openapi/openapi.json', import.meta.url), 'utf8')) as Document

const SCHEMAS: [StateKind, string][] = [
  ['order', 'ProductionStage'],
  ['job', 'ProductionStage'],
  ['step', 'StepStatus'],
  ['serial', 'SerialState'],
  ['task', 'TaskStatus'],
  ['place', 'RecallLocationStatus'],
  ['built', 'AsBuiltStatus'],
]

const open = { stage: 'created', active: false, active_batch_key: null } as const
const running = { stage: 'started', active: true, active_batch_key: 'b' } as const
const paused = { ...running, active: false }
const between = { ...paused, active_batch_key: null }
const done = { ...open, stage: 'closed' } as const
const order = { status: 'started', active: false, jobs: [], qt_completed: 1, qt_scrap: 0 } as const

describe('states', () => {
  it.each(SCHEMAS)('every %s state of the API document has a look', (kind, schema) => {
    const states = document.components.schemas[schema]?.enum ?? []
    expect(states.length).toBeGreaterThan(0)
    expect(Object.keys(STATES[kind])).toEqual(expect.arrayContaining(states))
  })

  it('every state has a word', () => {
    for (const [kind, states] of Object.entries(STATES)) {
      for (const state of Object.keys(states)) expect(en.ui).toHaveProperty([`state.${kind}.${state}`])
    }
  })

  it('states of one kind differ in their icon or word', () => {
    for (const states of Object.values(STATES)) {
      const looks = Object.values(states).map((look) => `${look.tone} ${look.icon}`)
      expect(new Set(looks).size).toBeGreaterThanOrEqual(looks.length - 1)
    }
  })

  it('of jobs together run if one does, pause if some have begun, and are done if all are', () => {
    expect(jobState(open, open)).toBe('created')
    expect(jobState(done, done)).toBe('closed')
    expect(jobState(done, paused)).toBe('paused')
    expect(jobState(paused, open)).toBe('paused')
    expect(jobState(paused, between)).toBe('paused')
    expect(jobState(paused, running)).toBe('started')
    expect(jobState()).toBe('created')
  })

  it('between two batches are not paused: nobody has paused them', () => {
    expect(jobState(between)).toBe('between')
    expect(jobState(between, open)).toBe('between')
    expect(jobState(between, running)).toBe('started')
    expect(orderState({ ...order, jobs: [between, open] })).toBe('between')
    expect(orderState({ ...order, jobs: [done, open] })).toBe('between')
    expect(jobState(done, open)).toBe('between')
    expect(orderState({ ...order, jobs: [between, paused] })).toBe('paused')
    expect(orderState({ ...order, active: true, jobs: [running, between] })).toBe('started')
  })

  it('are derived from records', () => {
    expect(jobState(open)).toBe('created')
    expect(jobState(running)).toBe('started')
    expect(jobState(paused)).toBe('paused')
    expect(orderState({ ...order, status: 'created' })).toBe('created')
    expect(orderState({ ...order, status: 'closed' })).toBe('closed')
    expect(orderState({ ...order, status: 'closed', qt_completed: '0' })).toBe('withdrawn')
    expect(orderState({ ...order, status: 'closed', qt_completed: 0, qt_scrap: 1 })).toBe('closed')
    expect(batchState({ active: false, canceled: 'ev1' })).toBe('canceled')
    expect(batchState({ active: true, canceled: null })).toBe('active')
    expect(issueState({ open: true, critical: true })).toBe('openCritical')
    expect(issueState({ open: false, critical: true })).toBe('closed')
  })
})
