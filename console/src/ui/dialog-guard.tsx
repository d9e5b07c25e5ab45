import { type ReactNode, useEffect, useState } from 'react'
import { useText } from '@/i18n'
import './Dialogs.css'

/**
 * Guards what was typed in a dialog against a slip: a click beside the dialog does nothing then, and it closes at the second Escape. A
 * button that says what it does closes at once.
 */
export function useDialogGuard(onClose: () => void, opened = true) {
  const t = useText()
  const [state, setState] = useState<'clean' | 'typed' | 'warned'>('clean')
  useEffect(() => {
    if (!opened) setState('clean')
  }, [opened])
  return {
    closeOnClickOutside: state === 'clean',
    onClose: () => (state === 'typed' ? setState('warned') : onClose()),
    guarded: (content: ReactNode) => (
      <>
        <div className="tw-dialog-guarded" onInput={() => setState('typed')}>
          {content}
        </div>
        {state === 'warned' && (
          <p className="tw-dialog-warning" role="alert">
            {t('ui.dialog.typed')}
          </p>
        )}
      </>
    ),
  }
}
