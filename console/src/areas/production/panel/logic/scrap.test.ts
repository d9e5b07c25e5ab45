import { describe, expect, it } from 'vitest'
import {
  markQuantity,
  markUnit,
  mergeMarks,
  passes,
  reasonsIn,
  scrapKeys,
  scrapQt,
  scrapReason,
  stillThere,
  unmark,
  unmarkAt,
} from './scrap'

describe('scrap', () => {
  it('marks each unit once', () => {
    const marks = markUnit(markUnit([], 'u1', 'bent'), 'u1', ' cracked ')
    expect(marks).toEqual([{ unitKey: 'u1', quantity: '1', reason: 'cracked' }])
    expect(unmark(marks, 'u1')).toEqual([])
    expect(scrapKeys(marks)).toEqual(['u1'])
  })
  it('brings marks of somebody else together with the own ones', () => {
    const own = markUnit([], 'a', 'bent')
    const both = mergeMarks(own, markUnit(markUnit([], 'a', 'cracked'), 'b', 'cracked'))
    expect(both.map(({ unitKey, reason }) => `${unitKey} ${reason}`)).toEqual(['a bent', 'b cracked'])
    expect(scrapQt(mergeMarks(markQuantity([], 1, 'x'), markQuantity([], 2, 'y')))).toBe('3')
  })
  it('adds quantities exactly', () => {
    const marks = markQuantity(markQuantity([], 0.1, 'short'), '0.2', 'short')
    expect(scrapQt(marks)).toBe('0.3')
    expect(passes(1, marks)).toBe('0.7')
    expect(scrapReason(marks)).toBe('short')
    expect(scrapQt(unmarkAt(marks, 0))).toBe('0.2')
  })
  it('joins reasons, within what the service takes', () => {
    expect(scrapReason(markUnit(markUnit([], 'a', 'bent'), 'b', 'cracked'))).toBe('bent; cracked')
    expect(scrapReason(markUnit([], 'a', 'x'.repeat(600)))).toHaveLength(500)
  })
  it('tells joined reasons apart again', () => {
    expect(reasonsIn(scrapReason(markUnit(markUnit([], 'a', 'bent'), 'b', 'cracked')))).toEqual(['bent', 'cracked'])
    expect(reasonsIn('')).toEqual([])
  })
  it('forgets units that have left, and more than there is', () => {
    const marks = markUnit(markUnit([], 'a', 'bent'), 'b', 'bent')
    expect(scrapKeys(stillThere(marks, 1, ['b']))).toEqual(['b'])
    const many = markQuantity(markQuantity([], 2, 'x'), 2, 'y')
    expect(scrapQt(stillThere(many, 3, null))).toBe('2')
    expect(stillThere(marks, 9, null)).toEqual([])
  })
})
