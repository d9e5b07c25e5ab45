/*
 * The root of all pages: finds out who is signed in, and leads to the sign-in page if nobody is.
 */

import { MantineThemeProvider } from '@mantine/core'
import { Navigate, Outlet, useLocation } from '@tanstack/react-router'
import { type ReactNode, useEffect, useMemo } from 'react'
import { useText } from '@/i18n'
import { SessionContext, sessionStore, useSessionState } from '@/session'
import { Empty } from '@/ui/Empty'
import { signInAddress } from './guard'
import { Loading } from './loading'

function Unreachable() {
  const t = useText()
  useEffect(() => {
    const timer = setInterval(() => void sessionStore.load(), 3_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <main className="tw-page" role="alert">
      <Empty title={t('frame.unreachable.title')} icon="waiting">
        {t('frame.unreachable.text')}
      </Empty>
    </main>
  )
}

/** The words that Mantine's own controls say, in the language of the page. */
function ControlWords({ children }: { children: ReactNode }) {
  const t = useText()
  const theme = useMemo(
    () => ({
      components: {
        PasswordInput: {
          defaultProps: { visibilityToggleButtonProps: { 'aria-label': t('ui.password.visible') } },
        },
      },
    }),
    [t],
  )
  return <MantineThemeProvider theme={theme}>{children}</MantineThemeProvider>
}

export function Gate() {
  return (
    <ControlWords>
      <Admission />
    </ControlWords>
  )
}

function Admission() {
  const state = useSessionState()
  const { pathname, href } = useLocation()
  if (state.kind === 'starting') return <Loading />
  if (state.kind === 'unreachable') return <Unreachable />
  if (state.kind === 'signedOut') {
    return pathname === '/sign-in' ? (
      <Outlet />
    ) : (
      <Navigate to={state.chosen ? '/sign-in' : signInAddress(href)} replace />
    )
  }
  // Another user starts afresh: nothing of the first one's page may stay.
  return (
    <SessionContext value={state.session} key={state.session.user_key}>
      <Outlet />
    </SessionContext>
  )
}
