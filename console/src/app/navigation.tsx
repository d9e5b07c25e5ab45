import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useText } from '@/i18n'
import { useSession } from '@/session'
import { Icon } from '@/ui/icons'
import { navigation } from './areas'
import { visible } from './guard'
import type { NavItem } from './page'

const groups = ['work', 'look'] as const

/** Pages below none of the addresses in the navigation, by where one comes to them from. */
const BELOW: Readonly<Record<string, RegExp>> = { '/': /^\/(issue|task|position|count)\//, '/plan': /^\/order\// }

function Group({ title, items }: { title: string; items: NavItem[] }) {
  const t = useText()
  const { pathname } = useLocation()
  if (items.length === 0) return null
  return (
    <div className="tw-nav-group">
      <h2>{title}</h2>
      <ul>
        {items.map((item) => (
          <li key={item.to}>
            <Link
              to={item.to}
              activeOptions={{ exact: item.to === '/', includeSearch: false }}
              aria-current={BELOW[item.to]?.test(pathname) ? 'true' : undefined}
            >
              <Icon name={item.icon} size={18} />
              <span>{t(item.label)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** At the side on a wide screen; on a small one, and on the floor, behind the button of the top bar. */
export function Navigation({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useText()
  const { can } = useSession()
  const closer = useRef<HTMLButtonElement>(null)
  const items = visible(navigation, can)
  useEffect(() => {
    if (!open) return
    closer.current?.focus()
    const byKey = (event: KeyboardEvent) => event.key === 'Escape' && onClose()
    document.addEventListener('keydown', byKey)
    return () => document.removeEventListener('keydown', byKey)
  }, [open, onClose])
  return (
    <>
      {open && <div className="tw-nav-shade" onClick={onClose} aria-hidden="true" />}
      <nav className="tw-nav" data-open={open || undefined} aria-label={t('frame.navigation')}>
        <div className="tw-nav-head">
          <img src="/icon.svg" alt="" width={26} height={26} />
          <span>Tracewright</span>
          <button type="button" ref={closer} onClick={onClose} aria-label={t('frame.nav.close')}>
            <Icon name="cross" />
          </button>
        </div>
        {groups.map((group) => (
          <Group key={group} title={t(`frame.nav.${group}`)} items={items.filter((item) => item.group === group)} />
        ))}
      </nav>
    </>
  )
}
