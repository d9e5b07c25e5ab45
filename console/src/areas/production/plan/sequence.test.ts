import { describe, expect, test } from 'vitest'
import { givesWay, moveBefore, placeAt, putTo, targetAt, toSend } from './sequence'

const keys = ['a', 'b', 'c', 'd', 'e']

describe('moving an order', () => {
  test('puts it in front of another, or at the end', () => {
    expect(moveBefore(keys, 'd', 'a')).toEqual(['d', 'a', 'b', 'c', 'e'])
    expect(moveBefore(keys, 'b', null)).toEqual(['a', 'c', 'd', 'e', 'b'])
    expect(moveBefore(keys, 'b', 'b')).toEqual(keys)
  })

  const dropped = (all: readonly string[], shown: readonly string[], key: string, to: number) => {
    const target = targetAt(shown, key, to)
    return target && putTo(all, key, target)
  }

  test('by dropping counts places without the order itself', () => {
    expect(dropped(keys, keys, 'a', 2)).toEqual(['b', 'c', 'a', 'd', 'e'])
    expect(dropped(keys, keys, 'e', 0)).toEqual(['e', 'a', 'b', 'c', 'd'])
    expect(dropped(keys, keys, 'c', 4)).toEqual(['a', 'b', 'd', 'e', 'c'])
    expect(dropped(keys, keys, 'c', 2)).toEqual(keys)
  })

  test('in a filtered list keeps it beside what is shown', () => {
    const shown = ['b', 'd']
    expect(dropped(keys, shown, 'd', 0)).toEqual(['a', 'd', 'b', 'c', 'e'])
    expect(dropped(keys, shown, 'b', 1)).toEqual(['a', 'c', 'd', 'b', 'e'])
    expect(targetAt(['c'], 'c', 0)).toBeNull()
  })

  test('lands where it was meant to, whatever has changed meanwhile', () => {
    const changed = ['new', 'e', 'a', 'c', 'd']
    expect(dropped(changed, keys, 'a', 3)).toEqual(['new', 'a', 'e', 'c', 'd'])
    expect(dropped(changed, keys, 'a', 4)).toEqual(['new', 'e', 'a', 'c', 'd'])
  })

  test('leaves the queue if the order, or the one it was put to, has gone', () => {
    expect(dropped(['a', 'c', 'd', 'e'], keys, 'e', 1)).toBeNull()
    expect(dropped(['a', 'b', 'c', 'd'], keys, 'e', 1)).toBeNull()
  })
})

describe('what is sent', () => {
  test('is the shortest beginning that the others can follow', () => {
    expect(toSend(keys, ['d', 'a', 'b', 'c', 'e'])).toEqual(['d'])
    expect(toSend(keys, ['b', 'a', 'c', 'd', 'e'])).toEqual(['b'])
    expect(toSend(keys, ['a', 'c', 'b', 'd', 'e'])).toEqual(['a', 'c'])
    expect(toSend(keys, ['b', 'c', 'd', 'e', 'a'])).toEqual(['b', 'c', 'd', 'e'])
    expect(toSend(keys, keys)).toEqual([])
  })

  test('makes the wanted sequence, as the service reads it', () => {
    const served = (sent: string[]) => [...sent, ...keys.filter((key) => !sent.includes(key))]
    for (const key of keys) {
      for (const before of [...keys, null]) {
        const after = moveBefore(keys, key, before)
        expect(served(toSend(keys, after))).toEqual(after)
      }
    }
  })
})

describe('while an order is held', () => {
  test('it lands where its middle is', () => {
    const middles = [50, 150, 250, 350]
    expect(placeAt(middles, 0, 40)).toBe(0)
    expect(placeAt(middles, 0, 160)).toBe(1)
    expect(placeAt(middles, 0, 900)).toBe(3)
    expect(placeAt(middles, 3, 0)).toBe(0)
    expect(placeAt(middles, 3, 240)).toBe(2)
  })

  test('those between its old and its new place give way', () => {
    expect([0, 1, 2, 3].map((at) => givesWay(at, 0, 2))).toEqual([0, -1, -1, 0])
    expect([0, 1, 2, 3].map((at) => givesWay(at, 3, 1))).toEqual([0, 1, 1, 0])
    expect([0, 1, 2, 3].map((at) => givesWay(at, 2, 2))).toEqual([0, 0, 0, 0])
  })
})
