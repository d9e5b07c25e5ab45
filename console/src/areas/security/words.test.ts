import { expect, it } from 'vitest'
import { ApiFailure } from '@/api/faults'
import type { Text } from '@/i18n'
import { words } from './words'

const t = ((key: string) => key) as unknown as Text
const told = (input: ConstructorParameters<typeof ApiFailure>[0]) =>
  words(new ApiFailure(input), t, 'security.lock.wrong')

it('tells of a wrong password in the language of the user', () => {
  expect(told({ status: 401, code: 'credentials', message: 'The username or the password is wrong.' })).toBe(
    'security.lock.wrong',
  )
})

it('leaves other refusals to the service, and says how long to wait', () => {
  expect(told({ status: 403, message: 'No.' })).toBe('No.')
  expect(told({ status: 429, message: 'Too often.', retryAfter: 5 })).toBe('Too often. security.signIn.wait')
})

it('says that nobody answers, also if only a proxy does', () => {
  expect(told({ status: 0, message: '' })).toBe('security.signIn.offline')
  expect(told({ status: 502, message: '' })).toBe('security.signIn.offline')
  expect(words(null, t, 'security.lock.wrong')).toBe('')
})
