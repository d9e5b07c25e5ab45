import { expect, it } from 'vitest'
import { ApiFailure } from '@/api/faults'
import type { Text } from '@/i18n'
import { failureWords } from './failure-words'

const t = ((key: string) => key) as unknown as Text

it('leaves the words to the service', () => {
  expect(failureWords(t, new ApiFailure({ status: 422, message: 'Too many.' }))).toBe('Too many.')
  expect(failureWords(t, new Error('Odd.'))).toBe('Odd.')
})

it('has words where no answer came, and where a proxy answered', () => {
  expect(failureWords(t, new ApiFailure({ status: 0, message: '' }))).toBe('ui.failed.offline.title')
  expect(failureWords(t, new ApiFailure({ status: 502, message: '' }))).toBe('ui.failed.offline.title')
})
