import { Button } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { Component, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { ApiFailure } from '@/api/faults'
import { useText } from '@/i18n'
import { useOnline } from '@/live'
import { line } from '@/live/browser'
import { LoadFailed } from '@/ui/LoadFailed'
import { forgetFailures } from './later'

/** The code or the styles of a page could not be fetched: the line is cut, or the service has a newer console with other file names. */
export function isMissingCode(error: unknown): boolean {
  return (
    error instanceof Error &&
    /dynamically imported module|module script|Importing a module|preload CSS/i.test(error.message)
  )
}

/** Whether the line is cut or the console is a newer one is known once the service was asked. */
function Missing({ again }: { again: () => void }) {
  const t = useText()
  const online = useOnline()
  const [asked, setAsked] = useState(false)
  const waits = useRef(false)
  useEffect(() => {
    void line.ask().then(() => setAsked(true))
    // Who leaves the page and comes back asks for its code again.
    return forgetFailures
  }, [])
  useEffect(() => {
    if (online && waits.current) again()
    waits.current = !online
  }, [online, again])
  const cut = !(asked && online)
  return (
    <div className="tw-failed" role="alert" data-tone={cut ? 'waiting' : 'critical'}>
      <p className="tw-failed-title">{cut ? t('frame.unreachable.title') : t('frame.failed.title')}</p>
      <p>{cut ? t('frame.unreachable.text') : t('frame.failed.updated')}</p>
      {!cut && (
        <div className="tw-failed-action">
          <Button variant="default" onClick={() => location.reload()}>
            {t('frame.failed.reload')}
          </Button>
        </div>
      )}
    </div>
  )
}

function Failed({ error, again }: { error: unknown; again: () => void }) {
  const t = useText()
  if (error instanceof ApiFailure) return <LoadFailed error={error} onRetry={again} />
  const afresh = () => {
    forgetFailures()
    again()
  }
  if (isMissingCode(error)) return <Missing again={afresh} />
  return (
    <div className="tw-failed" role="alert" data-tone="critical">
      <p className="tw-failed-title">{t('frame.failed.title')}</p>
      <p>{t('frame.failed.text')}</p>
      {error instanceof Error && <p className="tw-failed-words">{error.message}</p>}
      <div className="tw-failed-action">
        <Button variant="default" onClick={afresh}>
          {t('frame.failed.again')}
        </Button>
      </div>
    </div>
  )
}

/** A page has failed; navigation and top bar stay. */
export function RouteFailed({ error, reset }: ErrorComponentProps) {
  return (
    <div className="tw-page">
      <Failed error={error} again={reset} />
    </div>
  )
}

interface BoundaryProps {
  children: ReactNode
  /** What stays in the place of a part that has failed; the words then lie over the page. */
  fallback?: ReactNode
}

interface BoundaryState {
  error: unknown
  failed: boolean
}

/** The last resort, around everything, and around the parts of a page that come later. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: null, failed: false }

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error, failed: true }
  }

  readonly again = (): void => this.setState({ error: null, failed: false })

  override render(): ReactNode {
    const { children, fallback } = this.props
    if (!this.state.failed) return children
    const words = (
      <div className={fallback === undefined ? 'tw-page' : 'tw-part'}>
        <Failed error={this.state.error} again={this.again} />
      </div>
    )
    if (fallback === undefined) return words
    return (
      <>
        {fallback}
        {createPortal(words, document.body)}
      </>
    )
  }
}

/** Around what comes later than its page: without it, the rest goes on. */
export function Part({ children, fallback = null }: BoundaryProps) {
  return (
    <Boundary fallback={fallback}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </Boundary>
  )
}
