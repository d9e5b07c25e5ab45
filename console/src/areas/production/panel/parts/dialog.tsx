import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { useText } from '@/i18n'

interface DialogProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly title: string
  readonly children: ReactNode
}

/** A dialog of the panel. Its head is no banner of the page. */
export function Dialog({ opened, onClose, title, children }: DialogProps) {
  const t = useText()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': t('ui.close') }}
      attributes={{ header: { role: 'presentation' } }}
    >
      <div className="pn-dialog">{children}</div>
    </Modal>
  )
}
