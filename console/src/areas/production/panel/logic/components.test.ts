import { describe, expect, it } from 'vitest'
import { looseOf, missingIn, needsOf, nextSlot, slotsOf, unitInHand, wholeUnits } from './components'
import { declared, jobDetail, line, unit } from './samples'

const order = (lines: ReturnType<typeof line>[]) => ({ phase_sequence: ['p0', 'p1', 'p2'], wo_bom: lines })
const nobody = new Set<string>()

describe('what has to be scanned', () => {
  it('rounds up to whole units', () => {
    expect([wholeUnits(1), wholeUnits('1.0'), wholeUnits('1.000001'), wholeUnits(0)]).toEqual([1, 1, 2, 0])
    expect(wholeUnits('999999999999')).toBe(999_999_999_999)
  })

  it('asks for traced components only, each once', () => {
    const lines = [line('a', 2), line('screw', 12, { traceability_level: null }), line('a', 1)]
    const needs = needsOf(jobDetail({ wo_bom: lines }), order(lines), 5)
    expect(needs).toEqual([{ componentKey: 'a', code: 'A', description: null, count: 3 }])
  })

  it('counts what earlier phases had to build in', () => {
    const mine = [line('a', 1)]
    const all = [line('a', 1.5, { phase_key: 'p0' }), ...mine, line('a', 4, { phase_key: 'p2' })]
    // 1.5 rounds up to 2, 2.5 to 3: one more here.
    expect(needsOf(jobDetail({ wo_bom: mine }), order(all), 1)[0]?.count).toBe(1)
    const half = [line('a', 0.5, { phase_key: 'p0' }), line('a', 0.5)]
    expect(needsOf(jobDetail({ wo_bom: [line('a', 0.5)] }), order(half), 1)).toEqual([])
  })

  it('counts for the whole batch where units are not traced', () => {
    const lines = [line('a', 0.5)]
    const [need] = needsOf(jobDetail({ wo_bom: lines, traceability_level: null }), order(lines), '5')
    expect(need?.count).toBe(3)
  })

  it('lists what is only taken', () => {
    const lines = [line('a', 2), line('screw', '12.5', { traceability_level: null })]
    expect(looseOf(lines, 4)).toEqual([{ key: 'screw', code: 'SCREW', description: null, quantity: '50' }])
  })
})

describe('places to fill', () => {
  const lines = [line('a', 1), line('b', 2)]
  const needs = needsOf(jobDetail({ wo_bom: lines }), order(lines), 2)
  const units = [unit('u1'), unit('u2')]

  it('goes unit by unit', () => {
    const slots = slotsOf(needs, units, [declared('a1', 'a', 'u1'), declared('b1', 'b', 'u1')], nobody)
    expect(slots.map((slot) => [slot.unitKey, slot.need.code, slot.missing])).toEqual([
      ['u1', 'A', 0],
      ['u1', 'B', 1],
      ['u2', 'A', 1],
      ['u2', 'B', 2],
    ])
    expect(missingIn(slots)).toBe(4)
    expect(unitInHand(slots, null)).toBe('u1')
    expect(nextSlot(slots, 'u1')?.need.code).toBe('B')
    expect(nextSlot(slots, 'u2')?.need.code).toBe('A')
  })

  it('stays with the unit that was taken in hand, until it is complete', () => {
    const slots = slotsOf(needs, units, [], nobody)
    expect(unitInHand(slots, 'u2')).toBe('u2')
    const full = [declared('a1', 'a', 'u2'), declared('b1', 'b', 'u2'), declared('b2', 'b', 'u2')]
    expect(unitInHand(slotsOf(needs, units, full, nobody), 'u2')).toBe('u1')
  })

  it('asks nothing for a unit that is scrapped', () => {
    const slots = slotsOf(needs, units, [], new Set(['u1']))
    expect(missingIn(slots)).toBe(3)
    expect(unitInHand(slots, null)).toBe('u2')
    expect(unitInHand(slots, 'u1')).toBe('u2')
  })

  it('fills the batch itself where units are not traced', () => {
    const slots = slotsOf(needs, null, [declared('a1', 'a', null)], nobody)
    expect(slots.map((slot) => slot.missing)).toEqual([0, 2])
    expect(unitInHand(slots, null)).toBeNull()
    expect(nextSlot(slots, null)?.need.code).toBe('B')
  })

  it('has nothing to say without components', () => {
    expect(slotsOf([], units, [], nobody)).toEqual([])
    expect(unitInHand([], null)).toBeNull()
    expect(nextSlot([], null)).toBeNull()
  })
})
