import { expect, it } from 'vitest'
import { lacksOf } from './password'

it('finds all that a new password lacks at once', () => {
  expect(lacksOf('short', 'other')).toEqual(['short', 'differ'])
  expect(lacksOf('a'.repeat(257), '')).toEqual(['long', 'differ'])
  expect(lacksOf('long enough', 'long enough')).toEqual([])
})

it('counts letters as people do', () => {
  expect(lacksOf('🔑'.repeat(9), '🔑'.repeat(9))).toEqual(['short'])
  expect(lacksOf('🔑'.repeat(10), '🔑'.repeat(10))).toEqual([])
})
