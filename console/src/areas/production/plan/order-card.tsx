import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import type { CSSProperties, HTMLAttributes } from 'react'
import { useFormats, useText } from '@/i18n'
import { fullName } from '@/session'
import { Code } from '@/ui/Code'
import { Go } from '@/ui/Go'
import { Icon } from '@/ui/icons'
import { StatusMark, ToneMark } from '@/ui/StatusMark'
import { orderState } from '@/ui/states'
import { DueDate, TroubleMark } from '../marks'
import { atWork, type Order, type PhaseSum, phasesOf, troublesOf } from '../orders'
import { PhaseStrip } from './phase-strip'

export type Where = 'first' | 'up' | 'down' | 'last'

interface OrderCardProps {
  readonly order: Order
  /** From 1, in the whole queue. */
  readonly place: number
  readonly assigneeNeeded: boolean
  /** What moves it; none where the user may not. */
  readonly handle: HTMLAttributes<HTMLElement> | undefined
  readonly onMove: (where: Where) => void
  readonly held: boolean
  readonly style: CSSProperties | undefined
}

/** One order of the queue: what, how far, by when, what is wrong. */
export function OrderCard({ order, place, assigneeNeeded, handle, onMove, held, style }: OrderCardProps) {
  const t = useText()
  const phases = phasesOf(order)
  const troubles = troublesOf(order, new Date(), assigneeNeeded)
  return (
    <li className="tw-wo" data-card={order._key} data-held={held || undefined} style={style}>
      <div className="tw-wo-place">
        {handle && (
          <button
            type="button"
            className="tw-wo-handle"
            data-handle
            aria-label={t('production.card.drag', { code: order.wo_code })}
            aria-describedby="tw-plan-drag-help"
            aria-pressed={held}
            {...handle}
          >
            <Icon name="drag" />
          </button>
        )}
        <span className="tw-wo-no" title={t('production.card.place', { place })}>
          {place}
        </span>
      </div>
      <div className="tw-wo-what">
        <Go className="tw-wo-link" to={`/order/${encodeURIComponent(order._key)}`} data-walk>
          <Code bare>{order.wo_code}</Code>
          <span className="tw-wo-name">{order.product_description ?? order.product_code}</span>
        </Go>
        <div className="tw-wo-sub">
          <Code bare>{order.product_code}</Code>
          {order.project_code && (
            <span className="tw-wo-project" title={order.project_code}>
              {order.project_code}
            </span>
          )}
          {order.priority && (
            <ToneMark tone="waiting" icon="priority">
              {t('marks.priority')}
            </ToneMark>
          )}
        </div>
      </div>
      <div className="tw-wo-far">
        <PhaseStrip phases={phases} />
        <Amount order={order} />
        <Who order={order} phases={phases} />
      </div>
      <div className="tw-wo-duecell">
        <DueDate order={order} />
      </div>
      <div className="tw-wo-state">
        <StatusMark of="order" state={orderState(order)} />
        {troubles
          .filter(({ kind }) => kind !== 'scrap')
          .map((trouble) => (
            <TroubleMark key={trouble.kind} trouble={trouble} />
          ))}
      </div>
      <CardActions order={order} place={place} movable={handle !== undefined} onMove={onMove} />
    </li>
  )
}

function Amount({ order }: { order: Order }) {
  const t = useText()
  const formats = useFormats()
  const values = { done: formats.decimal(order.qt_completed), total: formats.decimal(order.qt_planned) }
  return (
    <span className="tw-wo-amount">
      {t('marks.made', values)}
      {Number(order.qt_scrap) > 0 && (
        <span className="tw-wo-scrap">{t('marks.scrap', { count: formats.decimal(order.qt_scrap) })}</span>
      )}
    </span>
  )
}

/** Who is at work, or what comes next. */
function Who({ order, phases }: { order: Order; phases: readonly PhaseSum[] }) {
  const t = useText()
  const working = atWork(order)
  if (working.length > 0) {
    const words = working.map((job) =>
      t('production.card.working', { name: fullName(job.assigned_user ?? {}), phase: job.phase_alias }),
    )
    return <span className="tw-wo-who">{words.join('; ')}</span>
  }
  const next = phases.find(({ state }) => state !== 'closed')
  if (next === undefined) return null
  const person = next.jobs.find((job) => job.assigned_user !== null)?.assigned_user
  return (
    <span className="tw-wo-who">
      {person
        ? t('production.card.nextFor', { phase: next.alias, name: fullName(person) })
        : t('production.card.next', { phase: next.alias })}
    </span>
  )
}

interface ActionsProps {
  readonly order: Order
  readonly place: number
  readonly movable: boolean
  readonly onMove: (where: Where) => void
}

function CardActions({ order, place, movable, onMove }: ActionsProps) {
  const t = useText()
  if (!movable) return <div className="tw-wo-actions" />
  const code = order.wo_code
  return (
    <div className="tw-wo-actions">
      {place > 1 && (
        <Tooltip label={t('production.card.first')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('production.card.firstOf', { code })}
            onClick={() => onMove('first')}
          >
            <Icon name="first" />
          </ActionIcon>
        </Tooltip>
      )}
      <Menu>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t('production.card.menu', { code })}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<Icon name="first" />} onClick={() => onMove('first')}>
            {t('production.card.first')}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="up" />} onClick={() => onMove('up')}>
            {t('production.card.up')}
          </Menu.Item>
          <Menu.Item leftSection={<Icon name="down" />} onClick={() => onMove('down')}>
            {t('production.card.down')}
          </Menu.Item>
          <Menu.Item onClick={() => onMove('last')}>{t('production.card.last')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}
