import { useNavigate } from '@tanstack/react-router'
import { useText } from '@/i18n'
import { Confirm } from '@/ui/Confirm'
import { type Act, closeJobs, deleteOrder, sendEvent } from '../mutations'
import { atWork, type Order } from '../orders'
import type { Sending } from '../sending'
import { openJobs } from './allowed'

export type Deed = 'pauseAll' | 'close' | 'delete'

interface OrderConfirmProps {
  readonly order: Order
  readonly asked: Deed | null
  readonly onClose: () => void
  readonly act: Act
}

/** Stops the jobs one after the other: each is an event of its own. */
async function pauseAll(sending: Sending, order: Order): Promise<void> {
  for (const job of atWork(order)) await sendEvent(sending, { event_type: 'JOB_PAUSE_FORCED', job_key: job._key })
}

function run(sending: Sending, order: Order, deed: Deed): Promise<unknown> {
  if (deed === 'pauseAll') return pauseAll(sending, order)
  const open = openJobs(order).map((job) => job._key)
  if (deed === 'close') return closeJobs(sending, open)
  return deleteOrder(sending, order._key)
}

/** Asks before something is done to the whole order. What can't be undone wants the code typed. */
export function OrderConfirm({ order, asked, onClose, act }: OrderConfirmProps) {
  const t = useText()
  const navigate = useNavigate()
  if (asked === null) return null
  const confirm = async () => {
    onClose()
    const done = await act((sending) => run(sending, order, asked))
    if (done && asked === 'delete') void navigate({ to: '/plan' })
  }
  const words = {
    pauseAll: t('production.action.pauseAll.text', { count: atWork(order).length }),
    close: t('production.action.close.text', { count: openJobs(order).length }),
    delete: t('production.action.delete.text', { code: order.wo_code }),
  }
  return (
    <Confirm
      opened
      onClose={onClose}
      title={`${t(`production.action.${asked}`)}: ${order.wo_code}`}
      action={t(`production.action.${asked}`)}
      danger={asked !== 'pauseAll'}
      word={asked === 'pauseAll' ? undefined : order.wo_code}
      onConfirm={confirm}
    >
      <p>{words[asked]}</p>
    </Confirm>
  )
}
