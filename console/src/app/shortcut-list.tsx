import { Modal } from '@mantine/core'
import { useText } from '@/i18n'
import { focusScan } from '@/scan'
import { pageShortcuts, type Shortcut, useShortcut } from './shortcuts'

const everywhere: Shortcut[] = [
  { keys: '/', label: 'frame.shortcuts.search' },
  { keys: 'Ctrl K', label: 'frame.shortcuts.search' },
  { keys: '↑ ↓ ← →', label: 'frame.shortcuts.arrows' },
  { keys: 'Enter', label: 'frame.shortcuts.enter' },
  { keys: 'Esc', label: 'frame.shortcuts.escape' },
  { keys: '?', label: 'frame.shortcuts.help' },
]

function Shortcuts({ title, shortcuts }: { title: string; shortcuts: Shortcut[] }) {
  const t = useText()
  if (shortcuts.length === 0) return null
  return (
    <section className="tw-shortcuts">
      <h3>{title}</h3>
      <dl>
        {shortcuts.map(({ keys, label }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{t(label)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

interface ShortcutListProps {
  opened: boolean
  onOpen: () => void
  onClose: () => void
}

/** The keys that work everywhere, and those of the page. */
export function ShortcutList({ opened, onOpen, onClose }: ShortcutListProps) {
  const t = useText()
  useShortcut('?', 'frame.shortcuts.help', onOpen, false)
  useShortcut('/', 'frame.shortcuts.search', focusScan, false)
  useShortcut('Ctrl K', 'frame.shortcuts.search', focusScan, false)
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('frame.shortcuts.title')}
      closeButtonProps={{ 'aria-label': t('frame.close') }}
    >
      <Shortcuts title={t('frame.shortcuts.page')} shortcuts={opened ? pageShortcuts() : []} />
      <Shortcuts title={t('frame.shortcuts.everywhere')} shortcuts={everywhere} />
    </Modal>
  )
}
