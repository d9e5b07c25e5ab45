import { useText } from '@/i18n'
import { useLiveState, useOnline } from '@/live'
import { Icon } from '@/ui/icons'

/** Whether the page follows what happens. Amber words when it does not; a small mark when it does. */
export function LiveMark() {
  const t = useText()
  const online = useOnline()
  const state = useLiveState()
  if (online && state === 'off') return null
  const calm = online && state === 'live'
  const words = online && state !== 'off' ? t(`frame.live.${state}`) : t('frame.live.offline')
  return (
    <span
      className="tw-live"
      data-state={online ? state : 'offline'}
      role="status"
      title={calm ? t('frame.live.hint') : undefined}
    >
      <Icon name={calm ? 'live' : 'waiting'} />
      <span>{words}</span>
    </span>
  )
}
