import { Modal, type ModalProps } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useText } from '@/i18n'
import { focusScan } from '@/scan/ScanBox'
import { useDialogGuard } from './dialog-guard'

/** When the dialog goes, the focus returns to what opened it; if that is gone, to the scan box. */
function useFocusReturn(): void {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      setTimeout(() => {
        if (document.activeElement !== document.body) return
        if (before instanceof HTMLElement && before !== document.body && before.isConnected) before.focus()
        else focusScan()
      })
    },
    [before],
  )
}

/** A dialog that is open as long as it is mounted. */
export function Dialog({ onClose, children, ...props }: Omit<ModalProps, 'opened'>) {
  const t = useText()
  useFocusReturn()
  const { guarded, ...guard } = useDialogGuard(onClose)
  return (
    <Modal opened closeButtonProps={{ 'aria-label': t('ui.close') }} {...props} {...guard}>
      {guarded(children)}
    </Modal>
  )
}
