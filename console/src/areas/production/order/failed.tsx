import { ActionIcon } from '@mantine/core'
import type { ApiFailure } from '@/api'
import { useText } from '@/i18n'
import { Icon } from '@/ui/icons'
import '../told.css'

/** Says that something was refused, in the words of the service. */
export function Failed({ failure, onDismiss }: { failure: ApiFailure | null; onDismiss: () => void }) {
  const t = useText()
  if (failure === null) return null
  const message = failure.offline ? t('production.plan.offline') : failure.message
  return (
    <div className="tw-told" data-tone="critical" role="alert">
      <Icon name="critical" />
      <span>{t('production.action.failed', { message })}</span>
      <ActionIcon variant="subtle" color="gray" aria-label={t('production.plan.dismiss')} onClick={onDismiss}>
        <Icon name="cross" size={14} />
      </ActionIcon>
    </div>
  )
}
