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

  it('are derived from records', () => {
    expect(jobState({ stage: 'started', active: false })).toBe('paused')
    expect(jobState({ stage: 'started', active: true })).toBe('started')
    expect(orderState({ status: 'created', active: false })).toBe('created')
    expect(batchState({ active: false, canceled: 'ev1' })).toBe('canceled')
    expect(batchState({ active: true, canceled: null })).toBe('active')
    expect(issueState({ open: true, critical: true })).toBe('critical')
    expect(issueState({ open: false, critical: true })).toBe('closed')
  })
})
