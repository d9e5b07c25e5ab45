import { useText } from '@/i18n'
import { useOutbox } from '@/outbox'
import { Icon } from '@/ui/icons'

/** In the top bar only while something waits or was refused. */
export function OutboxMark({ onOpen }: { onOpen: () => void }) {
  const t = useText()
  const { pending, failed } = useOutbox()
  const refused = failed.length > 0
  const count = refused ? failed.length : pending.length
  if (count === 0) return null
  return (
    <button type="button" className="tw-outbox-mark" data-failed={refused || undefined} onClick={onOpen}>
      <Icon name={refused ? 'critical' : 'upload'} />
      {refused ? t('frame.outbox.refusedOpen', { count }) : t('frame.outbox.open', { count })}
    </button>
  )
}
