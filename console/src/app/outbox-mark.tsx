import { useText } from '@/i18n'
import { useOutbox, useOwners } from '@/outbox'
import { useSession } from '@/session'
import { Icon } from '@/ui/icons'

/** In the top bar only while something waits or was refused; quiet if it is not the user's own. */
export function OutboxMark({ onOpen }: { onOpen: () => void }) {
  const t = useText()
  const { user_key } = useSession()
  const { pending, failed } = useOutbox()
  const others = useOwners().reduce((sum, one) => (one.user_key === user_key ? sum : sum + one.count), 0)
  const refused = failed.length > 0
  const count = refused ? failed.length : pending.length
  if (count + others === 0) return null
  if (count === 0) {
    return (
      <button type="button" className="tw-outbox-mark" data-quiet onClick={onOpen}>
        <Icon name="upload" />
        {t('frame.outbox.othersOpen', { count: others })}
      </button>
    )
  }
  return (
    <button type="button" className="tw-outbox-mark" data-failed={refused || undefined} onClick={onOpen}>
      <Icon name={refused ? 'critical' : 'upload'} />
      {refused ? t('frame.outbox.refusedOpen', { count }) : t('frame.outbox.open', { count })}
    </button>
  )
}
