import { describe, expect, it } from 'vitest'
import type { Schemas } from '@/api'
import { actsFor, whyNot } from './acts'

type Unit = Parameters<typeof actsFor>[0]

const unit: Unit = {
  state: 'released',
  released: '2026-10-01T00:00:00Z',
  scrapped: null,
  deleted: null,
  code: 'A-1',
  wo_key: null,
  data: [{} as Schemas['SerialFieldValue']],
}
const all = { create: true, correct: true }
const operator = { create: true, correct: false }
const reader = { create: false, correct: false }

describe('actsFor', () => {
  it('offers corrections of a released unit to those who may', () => {
    expect(actsFor(unit, false, all, true)).toEqual(['values', 'build', 'code', 'unrelease', 'scrap'])
    expect(actsFor(unit, false, operator, true)).toEqual(['build', 'scrap'])
  })

  it('takes out what is built in, and does not scrap it', () => {
    expect(actsFor({ ...unit, state: 'used' }, true, operator, true)).toEqual(['build', 'takeOut'])
  })

  it('releases by hand only what no order makes', () => {
    const open = { ...unit, state: 'wip' as const, released: null }
    expect(actsFor(open, false, operator, false)).toContain('release')
    expect(actsFor({ ...open, wo_key: 'w' }, false, operator, false)).not.toContain('release')
  })

  it('gives a code to what has none, whatever the site allows', () => {
    expect(actsFor({ ...unit, code: null }, false, operator, false)).toContain('code')
  })

  it('leaves scrapped and deleted units alone', () => {
    const scrapped = { ...unit, scrapped: '2026-10-02T00:00:00Z' }
    expect(actsFor(scrapped, false, all, true)).toEqual(['unscrap'])
    expect(actsFor(scrapped, false, operator, true)).toEqual([])
    expect(actsFor({ ...unit, deleted: '2026-10-02T00:00:00Z' }, false, all, true)).toEqual([])
    expect(actsFor(unit, false, reader, true)).toEqual([])
  })
})

describe('whyNot', () => {
  it('says why there is nothing to do', () => {
    expect(whyNot(unit, all, true)).toBe('past')
    expect(whyNot(unit, reader, false)).toBe('rights')
    expect(whyNot({ ...unit, deleted: 'x' }, all, false)).toBe('deleted')
    expect(whyNot({ ...unit, scrapped: 'x' }, operator, false)).toBe('correct')
    expect(whyNot(unit, all, false)).toBeUndefined()
  })
})
