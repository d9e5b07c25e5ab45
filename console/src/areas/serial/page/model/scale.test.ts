import { describe, expect, it } from 'vitest'
import { changeAfter, changeBefore, keyStep, makeScale, snap } from './scale'

const DAY = 86_400_000
const changes = [0, DAY / 24, DAY / 12, 60 * DAY]
const scale = makeScale(0, 100 * DAY, changes)

describe('the scale', () => {
  it('goes from the first moment to the last', () => {
    expect(scale.place(0)).toBe(0)
    expect(scale.place(100 * DAY)).toBeCloseTo(1)
    expect(scale.place(-DAY)).toBe(0)
    expect(scale.place(200 * DAY)).toBeCloseTo(1)
  })

  it('gives changes that lie close together room', () => {
    expect(scale.place(DAY / 12) - scale.place(DAY / 24)).toBeGreaterThan(0.1)
  })

  it('leads back from a place to its moment', () => {
    for (const time of [DAY / 30, DAY, 30 * DAY, 99 * DAY]) {
      expect(Math.abs(scale.time(scale.place(time)) - time)).toBeLessThan(1000)
    }
  })

  it('stands a unit that has just come into being', () => {
    const fresh = makeScale(5, 5, [5])
    expect(fresh.place(5)).toBe(0)
    expect(fresh.time(1)).toBe(6)
  })
})

describe('snap', () => {
  it('catches a change close by, and nothing else', () => {
    expect(snap(scale, changes, 60 * DAY + DAY / 10, 0.01)).toBe(60 * DAY)
    expect(snap(scale, changes, 80 * DAY, 0.01)).toBe(80 * DAY)
  })
})

describe('the keys', () => {
  it('go from change to change', () => {
    expect(keyStep(scale, changes, 100 * DAY, 'ArrowLeft')).toBe(60 * DAY)
    expect(keyStep(scale, changes, 60 * DAY, 'ArrowLeft')).toBe(DAY / 12)
    expect(keyStep(scale, changes, 0, 'ArrowLeft')).toBe(0)
    expect(keyStep(scale, changes, DAY / 12, 'ArrowRight')).toBe(60 * DAY)
    expect(keyStep(scale, changes, 60 * DAY, 'ArrowRight')).toBeNull()
  })

  it('go a day, to the begin, and to now', () => {
    expect(keyStep(scale, changes, 10 * DAY, 'PageDown')).toBe(9 * DAY)
    expect(keyStep(scale, changes, DAY / 2, 'PageDown')).toBe(0)
    expect(keyStep(scale, changes, 10 * DAY, 'PageUp')).toBe(11 * DAY)
    expect(keyStep(scale, changes, 99.5 * DAY, 'PageUp')).toBeNull()
    expect(keyStep(scale, changes, DAY, 'Home')).toBe(0)
    expect(keyStep(scale, changes, DAY, 'End')).toBeNull()
    expect(keyStep(scale, changes, DAY, 'a')).toBeUndefined()
  })
})

describe('neighbours', () => {
  it('are found on both sides', () => {
    expect(changeBefore(changes, 60 * DAY)).toBe(DAY / 12)
    expect(changeBefore(changes, 0)).toBeUndefined()
    expect(changeAfter(changes, 0)).toBe(DAY / 24)
    expect(changeAfter(changes, 60 * DAY)).toBeUndefined()
  })
})
