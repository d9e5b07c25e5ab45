/*
 * Around every page: navigation, top bar with the scan box, what is live and what waits, and the dialogs that may lie over all of it.
 */

import { useMediaQuery } from '@mantine/hooks'
import { Outlet, useLocation, useMatches, useRouter } from '@tanstack/react-router'
import { type ReactNode, use, useCallback, useEffect, useState } from 'react'
import { panelRoute, workRoute } from '@/areas/production/panel/routes'
import { useText } from '@/i18n'
import { followSession } from '@/live'
import { outboxForUser } from '@/outbox'
import { focusScan, ScanBox, ScanProvider } from '@/scan'
import { fullName, maySend, SessionContext, useSession, useSessionState } from '@/session'
import { Empty } from '@/ui/Empty'
import { useCurrentMood } from '@/ui/mood'
import type { DialogName } from './dialogs'
import { EarlyScan } from './early-scan'
import { Part } from './errors'
import { missingScope } from './guard'
import { lately, later, useSoon } from './later'
import { LiveMark } from './live-mark'
import { Navigation } from './navigation'
import { OutboxMark } from './outbox-mark'
import { SearchOpener } from './search/opener'
import { listenForShortcuts, useShortcut } from './shortcuts'
import { useTaste } from './taste'
import { PageTitle } from './title'
import { UserButton } from './user-button'
import './shell.css'

const Dialogs = lately(() => later(() => import('./dialogs')))
const UserMenu = lately(() => later(() => import('./user-menu')))
const soon = [Dialogs, UserMenu]
/** Operators go on working while the line is cut. */
const soonOfOperators = [...soon, panelRoute.options.component, workRoute.options.component]

/** Keeps the stream and the outbox with the user who is signed in. A locked page hears nothing, but one that is only idle still sends. */
function useFollowing(): void {
  const session = use(SessionContext)
  const state = useSessionState()
  const locked = state.kind !== 'signedIn' || state.lock !== null
  const sends = maySend(state)
  const userKey = session?.user_key ?? null
  const rights = session?.rights
  const name = session ? fullName(session) : ''
  useEffect(() => {
    outboxForUser(sends ? userKey : null, name)
  }, [sends, userKey, name])
  useEffect(() => {
    if (userKey !== null && rights && !locked) return followSession({ user_key: userKey, rights })
  }, [userKey, rights, locked])
}

/** After a change of page the focus is nowhere: it goes to the scan box, where the next scan belongs. Not on a tablet, where the screen
 * keyboard would rise; scans are caught there without it. */
function useFocusAfterNavigation(): void {
  const { pathname } = useLocation()
  useEffect(() => {
    const lost = document.activeElement === null || document.activeElement === document.body
    if (pathname !== '' && lost && matchMedia('(pointer: fine)').matches) focusScan()
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
    const words = t('frame.noAccess.title', { page: title ? t(title) : t('frame.noAccess.this') })
    return (
      <>
        <PageTitle>{words}</PageTitle>
        <Empty title={words} icon="lock">
          {t('frame.noAccess.text')}
        </Empty>
      </>
    )
  }
  return (
    <>
      {title && <PageTitle>{t(title)}</PageTitle>}
      <Outlet />
    </>
  )
}

/** The button is there from the beginning; its menu comes when it is first opened. */
function User({ onShortcuts }: { onShortcuts: () => void }) {
  const [wanted, setWanted] = useState(false)
  const button = <UserButton aria-haspopup="menu" aria-expanded={false} onClick={() => setWanted(true)} />
  return wanted ? (
    <Part fallback={button}>
      <UserMenu onShortcuts={onShortcuts} />
    </Part>
  ) : (
    button
  )
}

function TopBar({ onMenu, onOpen }: { onMenu: () => void; onOpen: (dialog: DialogName) => void }) {
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
        <OutboxMark onOpen={() => onOpen('outbox')} />
        <LiveMark />
      </div>
      <User onShortcuts={() => onOpen('shortcuts')} />
    </header>
  )
}

/** `/` and `?` work on every page; the search itself listens to Ctrl K. */
function useShortcuts(open: (dialog: DialogName) => void): void {
  useEffect(listenForShortcuts, [])
  useShortcut('/', 'frame.shortcuts.scan', focusScan, false)
  useShortcut('?', 'frame.shortcuts.help', () => open('shortcuts'), false)
}

interface ShellProps {
  /** What is shown instead of the page of the address. */
  readonly children?: ReactNode
}

/** Nothing for the moment between a sign-out and the sign-in page. */
export default function Shell({ children }: ShellProps) {
  return use(SessionContext) ? <Frame>{children}</Frame> : null
}

/** Whether the navigation lies over the page. On the floor things are larger, so that it does on a tablet too. */
function useFolded(): boolean {
  const narrow = useCurrentMood() === 'floor' ? '(max-width: 1100px)' : '(max-width: 960px)'
  return useMediaQuery(narrow, undefined, { getInitialValueInEffect: false }) ?? false
}

function Frame({ children }: ShellProps) {
  const t = useText()
  const state = useSessionState()
  const { can } = useSession()
  const { pathname } = useLocation()
  const [navAt, setNavAt] = useState<string | null>(null)
  const [dialog, setDialog] = useState<DialogName | null>(null)
  const folded = useFolded()
  useFollowing()
  useFocusAfterNavigation()
  useTaste()
  useShortcuts(setDialog)
  useSoon(can('operator') ? soonOfOperators : soon)
  const router = useRouter()
  const go = useCallback((to: string) => router.history.push(to), [router])
  const locked = state.kind !== 'signedIn' || state.lock !== null
  const hidden = state.kind === 'signedIn' && state.hidden
  const covered = locked || dialog !== null
  const [wasCovered, setWasCovered] = useState(covered)
  if (covered && !wasCovered) setWasCovered(true)
  return (
    <ScanProvider onGo={go} listening={!locked}>
      <div className="tw-shell" data-hidden={hidden || undefined} data-folded={folded || undefined} inert={locked}>
        <a className="tw-skip" href="#content">
          {t('frame.skip')}
        </a>
        <Navigation open={navAt === pathname} onClose={() => setNavAt(null)} />
        <TopBar onMenu={() => setNavAt(pathname)} onOpen={setDialog} />
        <main className="tw-main" id="content" tabIndex={-1}>
          {children ?? <Page />}
        </main>
      </div>
      {!locked && <SearchOpener />}
      <EarlyScan />
      <Part>{wasCovered && <Dialogs open={dialog} onClose={() => setDialog(null)} />}</Part>
    </ScanProvider>
  )
}
