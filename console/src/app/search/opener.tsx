/*
 * Ctrl/Cmd-K on every page. Small enough for the first page; the search itself comes a little later.
 */

import { useLocation, useMatches } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useText } from '@/i18n'
import { useSession } from '@/session'
import { Part } from '../errors'
import { lately, later, useSoon } from '../later'
import { EarlyKeys } from './early'
import { keepRecent, recentOf } from './recent'

const SearchOverlay = lately(() => later(() => import('./overlay')))
const soon = [SearchOverlay]

const early = new EarlyKeys()
const takeEarly = () => early.end()

function isSearchKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k'
}

/** Remembers the things whose pages are opened, once the page has said what it shows. */
function useRecorder(): void {
  const t = useText()
  const { user_key } = useSession()
  const { pathname } = useLocation()
  const title = useMatches().at(-1)?.staticData.title
  const placeholder = title && t(title)
  useEffect(() => {
    const record = () => {
      const opened = recentOf(pathname, document.title, placeholder)
      if (opened) keepRecent(user_key, opened)
    }
    const timer = setTimeout(record, 300)
    const watcher = new MutationObserver(record)
    const tab = document.querySelector('title')
    if (tab) watcher.observe(tab, { childList: true })
    return () => {
      clearTimeout(timer)
      watcher.disconnect()
    }
  }, [pathname, placeholder, user_key])
}

/** Belongs into the shell, inside the scan provider. */
export function SearchOpener() {
  const { href } = useLocation()
  const [openAt, setOpenAt] = useState<string | null>(null)
  const [wanted, setWanted] = useState(false)
  const here = useRef({ href, openAt })
  useRecorder()
  useEffect(() => {
    here.current = { href, openAt }
    // Another page was opened, by a hit or by a scan: the search is over.
    if (openAt !== null && openAt !== href) setOpenAt(null)
  }, [href, openAt])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const search = isSearchKey(event)
      if (!search && !early.take(event)) return
      event.preventDefault()
      event.stopPropagation()
      if (!search) return
      const opens = here.current.openAt === null
      if (opens) early.begin()
      setOpenAt(opens ? here.current.href : null)
      setWanted(true)
    }
    window.addEventListener('keydown', onKey, { capture: true })
    return () => window.removeEventListener('keydown', onKey, { capture: true })
  }, [])
  useSoon(soon)
  return (
    <Part>
      {wanted && <SearchOverlay opened={openAt === href} onClose={() => setOpenAt(null)} takeEarly={takeEarly} />}
    </Part>
  )
}
