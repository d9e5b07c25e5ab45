import { useText } from '@/i18n'
import { pageShortcuts, type Shortcut } from './shortcuts'

const everywhere: Shortcut[] = [
  { keys: '/', label: 'frame.shortcuts.scan' },
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

/** The keys of the page, and those that work everywhere. */
export function ShortcutList() {
  const t = useText()
  return (
    <>
      <Shortcuts title={t('frame.shortcuts.page')} shortcuts={pageShortcuts()} />
      <Shortcuts title={t('frame.shortcuts.everywhere')} shortcuts={everywhere} />
    </>
  )
}
