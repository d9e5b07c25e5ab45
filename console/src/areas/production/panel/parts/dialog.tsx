import { Modal } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { useText } from '@/i18n'
import { useScan, useScanner } from '@/scan'
import { useDialogGuard } from '@/ui/dialog-guard'

interface DialogProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly title: string
  /** Whether what is scanned goes into one of its fields. Otherwise it lies over what a scan would change, and scans are refused. */
  readonly takesScans?: boolean
  readonly children: ReactNode
}

/** A dialog of the panel. Its head is no banner of the page. */
export function Dialog({ opened, onClose, title, takesScans = false, children }: DialogProps) {
  const t = useText()
  const { unsay } = useScanner()
  const words = t('panel.scan.dialog')
  useScan(() => ({ ok: false, say: words }), { priority: 20, enabled: opened && !takesScans })
  useEffect(() => (opened ? () => unsay(words) : undefined), [opened, unsay, words])
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
