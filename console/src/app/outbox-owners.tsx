import { useText } from '@/i18n'
import type { Owner } from '@/outbox'

/** Says that entries wait for people who are not signed in: nobody else can send them. */
export function OutboxOwners({ owners }: { owners: readonly Owner[] }) {
  const t = useText()
  if (owners.length === 0) return null
  return (
    <div className="tw-owners">
      {owners.map(({ user_key, name, count }) => (
        <p key={user_key}>
          {name === '' ? t('frame.outbox.ofSomebody', { count }) : t('frame.outbox.of', { count, name })}
        </p>
      ))}
    </div>
  )
}
