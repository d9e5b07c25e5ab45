import { useState } from 'react'
import { type ApiFailure, failureOf } from '@/api/faults'
import { useText } from '@/i18n'
import type { ShownFault } from '@/ui/fault-paths'

interface Attempt {
  busy: boolean
  failure: ApiFailure | null
  /** What to tell, in the words of the service if it has any. */
  message: string
  faults: ShownFault[]
  run(action: () => Promise<void>): Promise<void>
  clear(): void
}

/** One try to sign in, unlock or set a password, and what came of it. */
export function useAttempt(): Attempt {
  const t = useText()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ApiFailure | null>(null)
  const run = async (action: () => Promise<void>) => {
    setBusy(true)
    setFailure(null)
    try {
      await action()
    } catch (error) {
      setFailure(failureOf(error))
    } finally {
      setBusy(false)
    }
  }
  return {
    busy,
    failure,
    message: words(failure, t),
    faults: failure?.faults ?? [],
    run,
    clear: () => setFailure(null),
  }
}

function words(failure: ApiFailure | null, t: ReturnType<typeof useText>): string {
  if (!failure) return ''
  if (failure.offline) return t('security.signIn.offline')
  const wait = failure.retryAfter === undefined ? '' : t('security.signIn.wait', { count: failure.retryAfter })
  return [failure.message, wait].filter(Boolean).join(' ')
}
