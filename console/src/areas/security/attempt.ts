import { type RefObject, useEffect, useRef, useState } from 'react'
import { type ApiFailure, failureOf } from '@/api/faults'
import { useText } from '@/i18n'
import type { ShownFault } from '@/ui/fault-paths'
import { type WrongKey, words } from './words'

interface Attempt {
  busy: boolean
  failure: ApiFailure | null
  message: string
  faults: ShownFault[]
  run(action: () => Promise<void>): Promise<void>
  clear(): void
}

/** One try to sign in, unlock or set a password, and what came of it. */
export function useAttempt(wrong: WrongKey = 'security.signIn.wrong'): Attempt {
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
    message: words(failure, t, wrong),
    faults: failure?.faults ?? [],
    run,
    clear: () => setFailure(null),
  }
}

/** For the field of a password: after a wrong one it takes the focus from the message, ready to be typed over. */
export function usePasswordField({ failure }: Attempt): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (failure?.code !== 'credentials') return
    field.current?.focus()
    field.current?.select()
  }, [failure])
  return field
}
