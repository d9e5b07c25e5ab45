import { describe, expect, it } from 'vitest'
import type { Declared } from '../model'
import { type Bench, type Found, isUnfinished, meaningOf } from './component-scan'
import { needsOf, slotsOf, unitInHand } from './components'
import { declared, jobDetail, line, unit } from './samples'

const lines = [line('cu', 1), line('mo', 1), line('screw', 12, { traceability_level: null })]
const needs = needsOf(jobDetail({ wo_bom: lines }), { phase_sequence: ['p1'], wo_bom: lines }, 2)
const units = [unit('u1'), unit('u2')]

function bench(filled: Declared[] = [], rest: Partial<Bench> = {}): Bench {
  const slots = slotsOf(needs, units, filled, new Set())
  return { lines, slots, units, declared: filled, inHand: unitInHand(slots, null), asksText: false, ...rest }
}

function found(key: string, product: string, state: Found['state'] = 'in_stock'): Found {
  return { _key: key, code: key.toUpperCase(), product_key: product, state, scrap_reason: null }
}

describe('what the service refuses', () => {
  it('may be a unit that is still being made', () => {
    const errorType = 'SerialNotLinkedError'
    expect(isUnfinished({ errorType, data: { rule: 'in_production' } })).toBe(true)
    expect(isUnfinished({ errorType, data: { rule: 'already_used' } })).toBe(false)
    expect(isUnfinished({ errorType: undefined, data: {} })).toBe(false)
  })
})

describe('scans at the bench', () => {
  it('links the right component to the unit in hand', () => {
    expect(meaningOf('CU-1', [found('cu-1', 'cu')], bench())).toMatchObject({
      kind: 'link',
      unitKey: 'u1',
      need: { code: 'CU' },
    })
  })

  it('takes components of the unit in any order', () => {
    expect(meaningOf('MO-1', [found('mo-1', 'mo')], bench())).toMatchObject({ kind: 'link', unitKey: 'u1' })
  })

  it('goes to the next unit once the first is complete', () => {
    const filled = [declared('cu-1', 'cu', 'u1'), declared('mo-1', 'mo', 'u1')]
    expect(meaningOf('CU-2', [found('cu-2', 'cu')], bench(filled))).toMatchObject({ kind: 'link', unitKey: 'u2' })
  })

  it('takes a scanned unit of the batch in hand', () => {
    expect(meaningOf('u2', [found('u2', 'lamp', 'wip')], bench())).toEqual({ kind: 'unit', unitKey: 'u2' })
    expect(meaningOf(' U2 ', [], bench())).toEqual({ kind: 'unit', unitKey: 'u2' })
  })

  it('refuses a second one for the same unit, and says which unit lacks it', () => {
    const seen = meaningOf('CU-2', [found('cu-2', 'cu')], bench([declared('cu-1', 'cu', 'u1')]))
    expect(seen).toMatchObject({ kind: 'refuse', refusal: { why: 'hasAlready', unitKey: 'u1', other: 'u2' } })
  })

  it('refuses what no unit lacks any more', () => {
    const filled = [declared('cu-1', 'cu', 'u1'), declared('cu-2', 'cu', 'u2')]
    expect(meaningOf('CU-3', [found('cu-3', 'cu')], bench(filled))).toMatchObject({ refusal: { why: 'full' } })
  })

  it('refuses the wrong part, and names the expected one', () => {
    const seen = meaningOf('TS-1', [found('ts-1', 'ts')], bench())
    expect(seen).toMatchObject({
      refusal: { why: 'wrongPart', expected: { code: 'CU' }, serial: { product_key: 'ts' } },
    })
  })

  it.each(['used', 'scrapped', 'deleted'] as const)('refuses a serial that is %s', (state) => {
    expect(meaningOf('CU-9', [found('cu-9', 'cu', state)], bench())).toMatchObject({ refusal: { why: state } })
  })

  it('knows a component of this batch before it looks at its state', () => {
    const filled = [declared('cu-1', 'cu', 'u1')]
    const seen = meaningOf('CU-1', [found('cu-1', 'cu', 'used')], bench(filled))
    expect(seen).toMatchObject({ refusal: { why: 'declared', unitKey: 'u1' } })
  })

  it('takes the expected product if several have the code', () => {
    const both = [found('mo-5', 'mo'), found('cu-5', 'cu')]
    expect(meaningOf('5', both, bench())).toMatchObject({ kind: 'link', need: { code: 'CU' } })
    expect(meaningOf('5', [found('x', 'ts'), found('mo-5', 'mo')], bench())).toMatchObject({ need: { code: 'MO' } })
  })

  it('knows the code of a product', () => {
    expect(meaningOf('screw', [], bench())).toMatchObject({ kind: 'untraced', line: { component_code: 'SCREW' } })
    expect(meaningOf('CU', [], bench())).toMatchObject({ refusal: { why: 'productCode', code: 'CU' } })
  })

  it('answers a text question with what is no unit', () => {
    expect(meaningOf('PAIR-77', [], bench([], { asksText: true }))).toEqual({ kind: 'answer' })
    expect(meaningOf('PAIR-77', [], bench())).toMatchObject({ refusal: { why: 'nothing' } })
    expect(meaningOf('CU-1', [found('cu-1', 'cu')], bench([], { asksText: true }))).toMatchObject({ kind: 'link' })
  })

  it('says so where nothing has to be scanned', () => {
    const empty = bench([], { slots: [], inHand: null })
    expect(meaningOf('CU-1', [found('cu-1', 'cu')], empty)).toMatchObject({ refusal: { why: 'notNeeded' } })
  })

  it('links to the batch itself where units are not traced', () => {
    const slots = slotsOf(needs, null, [], new Set())
    const seen = meaningOf('CU-1', [found('cu-1', 'cu')], bench([], { slots, units: null, inHand: null }))
    expect(seen).toMatchObject({ kind: 'link', unitKey: null })
  })
})
