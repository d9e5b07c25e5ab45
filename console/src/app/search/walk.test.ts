import { expect, it } from 'vitest'
import { currentOf, step } from './walk'

const stops = ['a', 'b', 'c'].map((id) => ({ id, to: `/${id}` }))

it('walks down and up, and round', () => {
  expect(step(stops, 'a', 'ArrowDown')?.id).toBe('b')
  expect(step(stops, 'c', 'ArrowDown')?.id).toBe('a')
  expect(step(stops, 'a', 'ArrowUp')?.id).toBe('c')
  expect(step(stops, 'b', 'PageDown')?.id).toBe('c')
  expect(step(stops, 'b', 'PageUp')?.id).toBe('a')
  expect(step(stops, 'a', 'x')).toBeUndefined()
  expect(step([], undefined, 'ArrowDown')).toBeUndefined()
})

it('stays where it was walked to, else at the first', () => {
  expect(currentOf(stops, 'b')?.id).toBe('b')
  expect(currentOf(stops, 'gone')?.id).toBe('a')
  expect(currentOf([], 'b')).toBeUndefined()
})
