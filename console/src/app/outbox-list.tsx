import { Button } from '@mantine/core'
import { useText } from '@/i18n'
import { type OutboxEntry, useOutbox, useOwners } from '@/outbox'
import { useSession } from '@/session'
import { Moment } from '@/ui/Moment'
import { OutboxOwners } from './outbox-owners'

function Refused({ entry, onRetry, onDiscard }: { entry: OutboxEntry; onRetry: () => void; onDiscard: () => void }) {
  const t = useText()
  const { refusal } = entry
  const words = refusal?.uncertain ? t('frame.outbox.uncertain') : (refusal?.message ?? '')
  return (
    <li>
      <b>{entry.label}</b> <Moment at={new Date(entry.queuedAt).toISOString()} />
      <p className="tw-outbox-words">{words}</p>
      <div className="tw-outbox-actions">
        <Button size="compact-sm" variant="default" onClick={onRetry}>
          {t('frame.outbox.retry')}
        </Button>
        <Button size="compact-sm" variant="subtle" color="red" onClick={onDiscard}>
          {t('frame.outbox.discard')}
        </Button>
      </div>
    </li>
  )
}

/** What waits to be sent, what the service refused, and whether others have entries here. */
export function OutboxList() {
  const t = useText()
  const { user_key } = useSession()
  const { pending, failed, retry, discard } = useOutbox()
  const others = useOwners().filter((one) => one.user_key !== user_key)
  return (
    <div className="tw-outbox">
      {pending.length + failed.length + others.length === 0 && <p>{t('frame.outbox.empty')}</p>}
      {failed.length > 0 && (
        <section>
          <h3>{t('frame.outbox.failed')}</h3>
          <p>{t('frame.outbox.failedText')}</p>
          <ul>
            {failed.map((entry) => (
              <Refused
                key={entry.key}
                entry={entry}
                onRetry={() => retry(entry.key)}
                onDiscard={() => discard(entry.key)}
              />
            ))}
          </ul>
        </section>
      )}
      {pending.length > 0 && (
        <section>
          <h3>{t('frame.outbox.pending')}</h3>
          <p>{t('frame.outbox.pendingText')}</p>
          <ol>
            {pending.map((entry) => (
              <li key={entry.key}>
                <b>{entry.label}</b> <Moment at={new Date(entry.queuedAt).toISOString()} />
              </li>
            ))}
          </ol>
        </section>
      )}
      <OutboxOwners owners={others} />
    </div>
  )
}
