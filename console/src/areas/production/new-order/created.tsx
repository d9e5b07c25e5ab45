import { ActionIcon } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ApiFailure } from '@/api'
import { useText } from '@/i18n'
import { useSession } from '@/session'
import { failureWords } from '@/ui/failure-words'
import { Go } from '@/ui/Go'
import { Icon } from '@/ui/icons'
import { queueQuery } from '../queries'
import '../told.css'

export interface Made {
  readonly key: string
  readonly code: string
  /** Whether it was to be put first. */
  readonly first: boolean
  /** Why it could not. */
  readonly failure: ApiFailure | null
}

/** Says that an order was made, and where it stands. */
export function Created({ made, onDismiss }: { made: Made; onDismiss: () => void }) {
  const t = useText()
  const { can } = useSession()
  const { data: orders = [] } = useQuery({ ...queueQuery, enabled: can('production:queue:read') })
  const { code } = made
  const place = orders.findIndex((order) => order._key === made.key) + 1
  const words = made.failure
    ? t('production.plan.createdNotFirst', { code, message: failureWords(t, made.failure) })
    : made.first || place === 1
      ? t('production.plan.createdFirst', { code })
      : place > 0
        ? t('production.plan.created', { code, place })
        : t('production.plan.createdSomewhere', { code })
  return (
    <div className="tw-told" role="status" data-tone={made.failure ? 'waiting' : 'done'}>
      <Icon name={made.failure ? 'waiting' : 'done'} />
      <span>{words}</span>
      <Go to={`/order/${encodeURIComponent(made.key)}`}>{t('production.plan.open.created')}</Go>
      <ActionIcon variant="subtle" color="gray" aria-label={t('production.plan.dismiss')} onClick={onDismiss}>
        <Icon name="cross" size={14} />
      </ActionIcon>
    </div>
  )
}
