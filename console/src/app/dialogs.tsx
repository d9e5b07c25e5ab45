/*
 * What may lie over a page. It comes after the first page, so that this one stays light.
 */

import { LockDialog } from '@/areas/security/lock'
import { useText } from '@/i18n'
import { Dialog } from '@/ui/Dialog'
import { OutboxList } from './outbox-list'
import { ShortcutList } from './shortcut-list'

export type DialogName = 'shortcuts' | 'outbox'

/** The head of a dialog is no banner of the page. */
const noBanner = { header: { role: 'presentation' } }

export default function Dialogs({ open, onClose }: { open: DialogName | null; onClose: () => void }) {
  const t = useText()
  return (
    <>
      {open === 'shortcuts' && (
        <Dialog onClose={onClose} title={t('frame.shortcuts.title')} attributes={noBanner}>
          <ShortcutList />
        </Dialog>
      )}
      {open === 'outbox' && (
        <Dialog onClose={onClose} title={t('frame.outbox.title')} attributes={noBanner}>
          <OutboxList />
        </Dialog>
      )}
      <LockDialog />
    </>
  )
}
