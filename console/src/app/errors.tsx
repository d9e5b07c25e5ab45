import { Button } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { Component, type ReactNode } from 'react'
import { ApiFailure } from '@/api/faults'
import { useText } from '@/i18n'
import { LoadFailed } from '@/ui/LoadFailed'

/** The code of a page could not be fetched: the line is cut, or the service has a newer console with other file names. */
export function isMissingCode(error: unknown): boolean {
  return (
    error instanceof TypeError && /dynamically imported module|module script|Importing a module/i.test(error.message)
  )
}

function Failed({ error, again }: { error: unknown; again: () => void }) {
  const t = useText()
  if (error instanceof ApiFailure) return <LoadFailed error={error} onRetry={again} />
  const missing = isMissingCode(error)
  return (
    <div className="tw-failed" role="alert" data-tone="critical">
      <p className="tw-failed-title">{t('frame.failed.title')}</p>
      <p>{missing ? t('frame.failed.updated') : t('frame.failed.text')}</p>
      {!missing && error instanceof Error && <p className="tw-failed-words">{error.message}</p>}
      <div className="tw-failed-action">
        <Button variant="default" onClick={missing ? () => location.reload() : again}>
          {missing ? t('frame.failed.reload') : t('frame.failed.again')}
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

interface BoundaryState {
  error: unknown
  failed: boolean
}

/** The last resort, around everything. */
export class Boundary extends Component<{ children: ReactNode }, BoundaryState> {
  override state: BoundaryState = { error: null, failed: false }

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error, failed: true }
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    return (
      <div className="tw-page">
        <Failed error={this.state.error} again={() => this.setState({ error: null, failed: false })} />
      </div>
    )
  }
}
