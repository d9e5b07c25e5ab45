import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { useText } from '@/i18n'
import { useScan } from '@/scan'
import { type Typed, TypedGuard } from './leaving'
import './Dialogs.css'

/**
 * Guards what was typed in a dialog against a slip: a click beside the dialog does nothing then, a scan opens no other page, and the dialog
 * goes at the second Escape, or the second time that somebody leaves the page. A button that says what it does closes at once.
 */
export function useDialogGuard(onClose: () => void, opened = true) {
  const t = useText()
  const { history } = useRouter()
  const [typed, setTyped] = useState<Typed>('nothing')
  const [guard] = useState(() => new TypedGuard(setTyped))
  const guards = opened && typed !== 'nothing'
  useEffect(() => {
    if (!opened) guard.forget()
  }, [opened, guard])
  useEffect(() => (guards ? guard.stand() : undefined), [guards, guard])
  useEffect(() => {
    if (!guards) return
    return history.block({ blockerFn: (leaving) => guard.staysFor(leaving), enableBeforeUnload: () => guard.holds })
  }, [guards, guard, history])
  // After everybody else: only a scan that would open another page is refused.
  useScan(() => (guard.holds ? { ok: false, say: t('typed.scan') } : undefined), { priority: -1, enabled: guards })
  return {
    closeOnClickOutside: typed === 'nothing',
    onClose: () => {
      if (!guard.stays()) onClose()
    },
    guarded: (content: ReactNode) => (
      <>
        <div className="tw-dialog-guarded" onInput={() => guard.type()} onSubmit={() => guard.send()}>
          {content}
        </div>
        {typed === 'asked' && (
          <p className="tw-dialog-warning" role="alert">
            {t('typed.dialog')}
          </p>
        )}
      </>
    ),
  }
}
