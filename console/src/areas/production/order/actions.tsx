import { ActionIcon, Button, Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useText } from '@/i18n'
import { useSession } from '@/session'
import { Icon } from '@/ui/icons'
import { changeOrder, putQueue, useAct } from '../mutations'
import { atWork, type Order } from '../orders'
import { queueQuery } from '../queries'
import { type Refusal, refuseClose, refuseDelete, refuseQuantity } from './allowed'
import { type Deed, OrderConfirm } from './confirm'
import { EditDialog } from './edit-dialog'
import { Failed } from './failed'
import { QuantityDialog } from './quantity-dialog'
import { ReasonItem } from './reason-item'

/** The rights that concern this page. */
function useRights() {
  const { can } = useSession()
  return {
    edit: can('production:work-order:update'),
    quantity: can('production:work-order:update-quantities'),
    remove: can('production:work-order:delete'),
    jobs: can('production:job:update'),
    pause: can('production:job:update') && can('traceability:event:create'),
    queue: can('production:queue:update'),
    seeQueue: can('production:queue:read'),
  }
}

/** What may be done to the order. */
export function OrderActions({ order }: { order: Order }) {
  const t = useText()
  const rights = useRights()
  const { act, busy, failure, clear } = useAct()
  const [asked, setAsked] = useState<Deed | null>(null)
  const [editing, setEditing] = useState<'order' | 'quantity' | null>(null)
  const open = order.status !== 'closed'
  const queue = useQuery({ ...queueQuery, enabled: rights.seeQueue && open })
  const isFirst = queue.data?.[0]?._key === order._key
  const any = rights.edit || rights.quantity || rights.remove || rights.jobs
  return (
    <div className="tw-wo-actions-all">
      <div className="tw-wo-buttons">
        {rights.edit && (
          <Button variant="default" leftSection={<Icon name="edit" />} onClick={() => setEditing('order')}>
            {t('production.action.edit')}
          </Button>
        )}
        <Button variant="default" leftSection={<Icon name="print" />} onClick={() => window.print()}>
          {t('production.sheet.title')}
        </Button>
        {open && rights.queue && !isFirst && (
          <Button
            leftSection={<Icon name="first" />}
            loading={busy}
            onClick={() => void act((sending) => putQueue([order._key], sending))}
          >
            {t('production.action.first')}
          </Button>
        )}
        {any && (
          <Menu>
            <Menu.Target>
              <ActionIcon variant="default" size={36} aria-label={t('production.action.more')}>
                <Icon name="more" />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {rights.edit && (
                <Menu.Item
                  leftSection={<Icon name="priority" />}
                  onClick={() => void act((sending) => changeOrder(sending, order._key, { priority: !order.priority }))}
                >
                  {order.priority ? t('production.action.priorityOff') : t('production.action.priorityOn')}
                </Menu.Item>
              )}
              {rights.quantity && (
                <ReasonItem
                  icon={<Icon name="edit" />}
                  refusal={refuseQuantity(order)}
                  onClick={() => setEditing('quantity')}
                >
                  {t('production.action.quantity')}
                </ReasonItem>
              )}
              {rights.pause && (
                <ReasonItem
                  icon={<Icon name="pause" />}
                  refusal={refusePauseAll(order)}
                  onClick={() => setAsked('pauseAll')}
                >
                  {t('production.action.pauseAll')}
                </ReasonItem>
              )}
              {rights.jobs && (
                <ReasonItem icon={<Icon name="check" />} refusal={refuseClose(order)} onClick={() => setAsked('close')}>
                  {t('production.action.close')}
                </ReasonItem>
              )}
              {rights.remove && (
                <ReasonItem
                  icon={<Icon name="trash" />}
                  refusal={refuseDelete(order)}
                  danger
                  onClick={() => setAsked('delete')}
                >
                  {t('production.action.delete')}
                </ReasonItem>
              )}
            </Menu.Dropdown>
          </Menu>
        )}
      </div>
      {!any && <p className="tw-wo-maynot">{t('production.action.mayNot')}</p>}
      <Failed failure={failure} onDismiss={clear} />
      <OrderConfirm order={order} asked={asked} onClose={() => setAsked(null)} act={act} />
      {editing === 'order' && <EditDialog order={order} onClose={() => setEditing(null)} />}
      {editing === 'quantity' && <QuantityDialog order={order} onClose={() => setEditing(null)} />}
    </div>
  )
}

function refusePauseAll(order: Order): Refusal {
  return atWork(order).length > 0 ? null : 'production.why.idle'
}
