import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useText } from '@/i18n'
import { Go } from '@/ui/Go'
import { productPage, TABS, type Tab } from '../tabs'

/** The parts of the page as links: each is an address. Arrow keys go along them. */
export function TabBar({ productKey, tab }: { productKey: string; tab: Tab }) {
  const t = useText()
  const bar = useRef<HTMLElement>(null)
  useEffect(() => {
    const current = bar.current?.querySelector<HTMLElement>(`[data-tab="${tab}"]`)
    current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [tab])
  const walk = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const links = [...event.currentTarget.querySelectorAll<HTMLElement>('a')]
    const at = document.activeElement instanceof HTMLElement ? links.indexOf(document.activeElement) : -1
    event.preventDefault()
    links[(at + step + links.length) % links.length]?.focus()
  }
  return (
    <nav className="tw-tabs" aria-label={t('product.head.tabs')} ref={bar} onKeyDown={walk}>
      {TABS.map((one) => (
        <Go key={one} data-tab={one} to={productPage(productKey, one)} aria-current={one === tab ? 'page' : undefined}>
          {t(`product.tab.${one}`)}
        </Go>
      ))}
    </nav>
  )
}
