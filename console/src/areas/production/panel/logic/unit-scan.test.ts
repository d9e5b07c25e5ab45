import { describe, expect, it } from 'vitest'
import { unit } from './samples'
import { codeOf, pickLabel, pickUnit, unitPlace, unlabelled } from './unit-scan'

const waiting = [unit('u1'), unit('u2'), unit('bare', null)]

describe('choosing units', () => {
  it('adds what waits, whatever its case', () => {
    expect(pickUnit('u1', waiting, [], 5)).toMatchObject({ kind: 'add', unit: { serial_key: 'u1' } })
  })
  it('refuses what does not wait, is chosen, or is too much', () => {
    expect(pickUnit('U9', waiting, [], 5)).toEqual({ kind: 'notWaiting' })
    expect(pickUnit('U1', waiting, ['u1'], 5)).toMatchObject({ kind: 'twice' })
    expect(pickUnit('U2', waiting, ['u1'], 1)).toEqual({ kind: 'tooMany' })
  })
  it('takes labels as the service will write them', () => {
    expect(pickLabel(' b-8 ', [], 2)).toEqual({ kind: 'add', code: 'B-8' })
    expect(pickLabel('B-8', ['B-8'], 2)).toEqual({ kind: 'twice' })
    expect(pickLabel('B-9', ['B-7', 'B-8'], 2)).toEqual({ kind: 'tooMany' })
  })
  it('names units', () => {
    expect(unitPlace(waiting, 'bare')).toBe(3)
    expect(codeOf(waiting, 'u2')).toBe('U2')
    expect(codeOf(waiting, 'bare')).toBeNull()
    expect(codeOf(null, 'u2')).toBeNull()
  })
  it('finds units that no counter will name', () => {
    expect(unlabelled([...waiting, unit('x', null, null)]).map((one) => one.serial_key)).toEqual(['x'])
    expect(unlabelled(null)).toEqual([])
  })
  it('asks for no label of what is scrapped', () => {
    const bare = ['x', 'y', 'z'].map((key) => unit(key, null, null))
    expect(unlabelled(bare, ['x']).map((one) => one.serial_key)).toEqual(['y', 'z'])
  })
})
