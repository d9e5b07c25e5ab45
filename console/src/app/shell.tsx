/*
 * Around every page: navigation, top bar with the scan box, what is live and what waits, and the dialogs that may lie over all of it.
 */

import { Outlet, useLocation, useMatches } from '@tanstack/react-router'
import { use, useEffect, useState } from 'react'
import { LockDialog } from '@/areas/security/lock'
import { useText } from '@/i18n'
import { followSession } from '@/live'
import { outboxForUser } from '@/outbox'
import { focusScan, ScanBox, ScanProvider } from '@/scan'
import { hidesPage, SessionContext, useSession, useSessionState } from '@/session'
import { Empty } from '@/ui/Empty'
import { missingScope } from './guard'
import { LiveMark } from './live-mark'
import { Navigation } from './navigation'
import { OutboxMark } from './outbox-mark'
import { ShortcutList } from './shortcut-list'
import { listenForShortcuts } from './shortcuts'
import { useTaste } from './taste'
import { PageTitle } from './title'
import { UserMenu } from './user-menu'
import './shell.css'

/** Keeps the stream and the outbox with the user who is signed in, and holds them while the page is locked. */
function useFollowing(): void {
  const session = use(SessionContext)
  const state = useSessionState()
  const locked = state.kind !== 'signedIn' || state.lock !== null
  const userKey = session?.user_key ?? null
  useEffect(() => {
    outboxForUser(locked ? null : userKey)
  }, [locked, userKey])
  useEffect(() => (session && !locked ? followSession(session) : undefined), [session, locked])
}

/** After a change of page the focus is nowhere: it goes to the scan box, where the next scan belongs. */
function useFocusAfterNavigation(): void {
  const { pathname } = useLocation()
  useEffect(() => {
    if (pathname !== '' && (document.activeElement === null || document.activeElement === document.body)) focusScan()
  }, [pathname])
}

function Page() {
  const t = useText()
  const { can } = useSession()
  const matches = useMatches()
  const missing = missingScope(
    matches.map((match) => match.staticData),
    can,
  )
  const title = matches.at(-1)?.staticData.title
  if (missing) {
    return (
      <Empty title={t('frame.noAccess.title')} icon="lock">
        {t('frame.noAccess.text', { scope: missing })}
      </Empty>
    )
  }
  return (
    <>
      {title && <PageTitle>{t(title)}</PageTitle>}
      <Outlet />
    </>
  )
}

function TopBar({ onMenu, onShortcuts }: { onMenu: () => void; onShortcuts: () => void }) {
  const t = useText()
  return (
    <header className="tw-bar">
      <button type="button" className="tw-bar-menu" onClick={onMenu} aria-label={t('frame.nav.open')}>
        <svg width="18" height="18" viewBox="0 0 16 16" aria-hidden="true">
          <path
            d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
            strokeLinecap="round"
          />
        </svg>
      </button>
      <ScanBox />
      <div className="tw-bar-state">
        <OutboxMark />
        <LiveMark />
      </div>
      <UserMenu onShortcuts={onShortcuts} />
    </header>
  )
}

export default function Shell() {
  const t = useText()
  const state = useSessionState()
  const { pathname } = useLocation()
  const [navOpen, setNavOpen] = useState(false)
  const [shortcutsOpen, setShortcutsOpen] = useState(false)
  useFollowing()
  useFocusAfterNavigation()
  useTaste()
  useEffect(listenForShortcuts, [])
  useEffect(() => setNavOpen(pathname === ''), [pathname])
  const hidden = state.kind === 'signedIn' && state.lock !== null && hidesPage(state.lock)
  return (
    <ScanProvider>
      <div className="tw-shell" data-hidden={hidden || undefined} inert={hidden}>
        <a className="tw-skip" href="#content">
          {t('frame.skip')}
        </a>
        <Navigation open={navOpen} onClose={() => setNavOpen(false)} />
        <TopBar onMenu={() => setNavOpen(true)} onShortcuts={() => setShortcutsOpen(true)} />
        <main className="tw-main" id="content" tabIndex={-1}>
          <Page />
        </main>
      </div>
      <ShortcutList
        opened={shortcutsOpen}
        onOpen={() => setShortcutsOpen(true)}
        onClose={() => setShortcutsOpen(false)}
      />
      <LockDialog />
    </ScanProvider>
  )
}
