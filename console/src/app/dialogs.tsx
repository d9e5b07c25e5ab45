/*
 * What may lie over a page. It comes after the first page, so that this one stays light.
 */

import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { LockDialog } from '@/areas/security/lock'
import { useText } from '@/i18n'
import { OutboxList } from './outbox-list'
import { ShortcutList } from './shortcut-list'

export type DialogName = 'shortcuts' | 'outbox'

/** The head of a dialog is no banner of the page. */
const noBanner = { header: { role: 'presentation' } }

function Dialog({ opened, onClose, title, children }: DialogProps) {
  const t = useText()
  const closer = { 'aria-label': t('frame.close') }
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={closer} attributes={noBanner}>
      {children}
    </Modal>
  )
}

interface DialogProps {
  opened: boolean
  onClose: () => void
  title: string
  children: ReactNode
}

export default function Dialogs({ open, onClose }: { open: DialogName | null; onClose: () => void }) {
  const t = useText()
  return (
    <>
      <Dialog opened={open === 'shortcuts'} onClose={onClose} title={t('frame.shortcuts.title')}>
        <ShortcutList />
      </Dialog>
      <Dialog opened={open === 'outbox'} onClose={onClose} title={t('frame.outbox.title')}>
        <OutboxList />
      </Dialog>
      <LockDialog />
    </>
  )
}
