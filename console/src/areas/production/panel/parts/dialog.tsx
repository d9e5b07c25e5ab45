import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useText } from '@/i18n'
import { useDialogGuard } from '@/ui/dialog-guard'

interface DialogProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly title: string
  readonly children: ReactNode
}

/** A dialog of the panel. Its head is no banner of the page. */
export function Dialog({ opened, onClose, title, children }: DialogProps) {
  const t = useText()
  const { guarded, ...guard } = useDialogGuard(onClose, opened)
  return (
    <Modal
      opened={opened}
      {...guard}
      title={title}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
      attributes={{ header: { role: 'presentation' } }}
    >
      <div className="pn-dialog">{guarded(children)}</div>
    </Modal>
  )
}
