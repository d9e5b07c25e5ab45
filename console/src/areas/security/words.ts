import type { ApiFailure } from '@/api/faults'
import type { Text } from '@/i18n'

export type WrongKey = 'security.signIn.wrong' | 'security.lock.wrong'

/** What to tell of a failed attempt: the commonest in the user's language, the others as the service says them. */
export function words(failure: ApiFailure | null, t: Text, wrong: WrongKey): string {
  if (!failure) return ''
  if (failure.code === 'credentials') return t(wrong)
  const wait = failure.retryAfter === undefined ? '' : t('security.signIn.wait', { count: failure.retryAfter })
  const told = [failure.message, wait].filter(Boolean).join(' ')
  return failure.offline || told === '' ? t('security.signIn.offline') : told
}
