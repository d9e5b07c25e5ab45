import { expect, it } from 'vitest'
import { EarlyKeys } from './early'

const key = (name: string, ctrlKey = false) => ({
  key: name,
  ctrlKey,
  metaKey: false,
  altKey: false,
  isComposing: false,
})

it('keeps what is typed before the box is there', () => {
  const early = new EarlyKeys()
  expect(early.take(key('a'))).toBe(false)
  early.begin()
  expect(early.take(key('D'))).toBe(true)
  expect(early.take(key('Shift'))).toBe(false)
  expect(early.take(key('u'))).toBe(true)
  expect(early.take(key('c', true))).toBe(false)
  expect(early.end()).toBe('Du')
  expect(early.take(key('x'))).toBe(false)
  expect(early.end()).toBe('')
})

it('forgets it with Escape', () => {
  const early = new EarlyKeys()
  early.begin()
  early.take(key('a'))
  early.take(key('Escape'))
  expect(early.end()).toBe('')
})
