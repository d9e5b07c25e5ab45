import { Button } from '@mantine/core'
import { failureOf } from '@/api'
import { type Text, useText } from '@/i18n'
import './Empty.css'

interface LoadFailedProps {
  readonly error: unknown
  /** Asks again. */
  readonly onRetry?: (() => void) | undefined
  /** What was kept, if that is not "what you typed". */
  readonly kept?: string | undefined
}

interface Explanation {
  readonly title: string
  readonly lines: readonly string[]
  readonly tone: 'critical' | 'waiting'
}

/** What a failed request means for the one who waits for it. */
function explain(t: Text, error: unknown, kept: string | undefined): Explanation {
  const failure = failureOf(error)
  const { status, message } = failure
  if (failure.offline) {
    const lines = [kept ?? t('ui.failed.offline.what'), t('ui.failed.offline.todo')]
    return { title: t('ui.failed.offline.title'), lines, tone: 'waiting' }
  }
  if (status === 403) {
    return { title: t('ui.failed.forbidden.title'), lines: [message, t('ui.failed.forbidden.todo')], tone: 'critical' }
  }
  if (status === 404) {
    return { title: t('ui.failed.gone.title'), lines: [message, t('ui.failed.gone.todo')], tone: 'waiting' }
  }
  if (failure.badAddress) {
    return { title: t('ui.failed.gone.title'), lines: [t('ui.failed.gone.todo')], tone: 'waiting' }
  }
  if (failure.temporary) {
    const todo = t('ui.failed.busy.todo', { seconds: failure.retryAfter ?? 5 })
    return { title: t('ui.failed.busy.title'), lines: [message, todo], tone: 'waiting' }
  }
  if (status >= 500) {
    const id = String(failure.data.error_id ?? failure.requestId ?? status)
    const todo = t('ui.failed.server.todo', { id })
    return { title: t('ui.failed.server.title'), lines: [message, kept ?? t('ui.failed.kept'), todo], tone: 'critical' }
  }
  return { title: t('ui.failed.title'), lines: [message, kept ?? t('ui.failed.kept')], tone: 'critical' }
}

/** Says what happened, what was kept and what to do, in the place of what could not be loaded. */
export function LoadFailed({ error, onRetry, kept }: LoadFailedProps) {
  const t = useText()
  const { title, lines, tone } = explain(t, error, kept)
  return (
    <div className="tw-failed" role="alert" data-tone={tone}>
      <p className="tw-failed-title">{title}</p>
      {lines
        .filter((line) => line !== '')
        .map((line) => (
          <p key={line}>{line}</p>
        ))}
      {onRetry && (
        <div className="tw-failed-action">
          <Button variant="default" onClick={onRetry}>
            {t('ui.retry')}
          </Button>
        </div>
      )}
    </div>
  )
}
