import { useQuery } from '@tanstack/react-query'
import { equals, isZero, ratio, subtract } from '@/api/decimal'
import { useFormats, useText } from '@/i18n'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { Copyable } from '@/ui/Copyable'
import { dueDay } from '@/ui/days'
import { Go } from '@/ui/Go'
import { PageHead } from '@/ui/PageHead'
import { Progress } from '@/ui/Progress'
import { StatusMark, ToneMark } from '@/ui/StatusMark'
import { orderState } from '@/ui/states'
import { TroubleMark, useDueWords } from '../marks'
import { atWork, isLate, type Order, troublesOf } from '../orders'
import { configQuery, queueQuery } from '../queries'
import { OrderActions } from './actions'

/** What the order is, how far, by when, and what is wrong. */
export function OrderHead({ order }: { order: Order }) {
  const t = useText()
  const formats = useFormats()
  const config = useQuery(configQuery)
  const assigneeNeeded = config.data?.show_unassigned_jobs_to_operators === false
  const troubles = troublesOf(order, new Date(), assigneeNeeded)
  // To the service a closed order is through, whatever was made.
  const progress = orderState(order) === 'withdrawn' ? 0 : order.progress
  const work = t('marks.work', { share: formats.share(ratio(progress, 100)) })
  return (
    <>
      <PageHead
        title={`${order.wo_code} ${order.product_description ?? order.product_code}`}
        shown={
          <Copyable value={order.wo_code}>
            <span className="tw-wo-title">
              <Code bare>{order.wo_code}</Code> {order.product_description ?? order.product_code}
            </span>
          </Copyable>
        }
        trail={<Go to="/plan">{t('production.order.trail')}</Go>}
        mark={
          <>
            <StatusMark of="order" state={orderState(order)} look="tag" />
            {order.priority && (
              <ToneMark tone="waiting" icon="priority" look="tag">
                {t('marks.priority')}
              </ToneMark>
            )}
          </>
        }
        answer={<Answer order={order} />}
        actions={<OrderActions order={order} />}
      />
      <div className="tw-wo-state-line">
        <Progress
          done={progress}
          total={100}
          label={t('production.order.progress', { code: order.wo_code })}
          words={work}
          bare
        />
        <span className="tw-wo-share" title={t('production.order.workHint')}>
          {work}
        </span>
        {troubles.length > 0 && (
          <ul aria-label={t('production.order.wrong')}>
            {troubles.map((trouble) => (
              <li key={trouble.kind}>
                <TroubleMark trouble={trouble} look="tag" />
              </li>
            ))}
          </ul>
        )}
      </div>
    </>
  )
}

/** How far and by when, in one line. */
function Answer({ order }: { order: Order }) {
  const t = useText()
  const formats = useFormats()
  const { can } = useSession()
  const due = useDueWords()
  const queue = useQuery({ ...queueQuery, enabled: can('production:queue:read') && order.status !== 'closed' })
  const place = (queue.data ?? []).findIndex(({ _key }) => _key === order._key) + 1
  const made = t('marks.made', {
    done: formats.decimal(order.qt_completed),
    total: formats.decimal(order.qt_planned),
  })
  const parts: string[] = []
  if (order.status === 'closed') parts.push(finished(order))
  else {
    // What is left is told only where scrap makes it differ from what the numbers before it say.
    if (!isZero(order.qt_remaining) && !equals(order.qt_remaining, subtract(order.qt_planned, order.qt_completed)))
      parts.push(t('production.order.togo', { count: formats.decimal(order.qt_remaining) }))
    if (order.due_by !== null) {
      parts.push(`${t('marks.due.by', { date: formats.date(dueDay(order.due_by)) })} (${due(order.due_by)})`)
    } else parts.push(t('marks.due.none'))
    parts.push(working(order))
    if (place > 0) parts.push(t('production.order.place', { place, total: queue.data?.length ?? 0 }))
  }
  function finished(closed: Order): string {
    const { end, due_by } = closed
    const words = t('production.order.finished', { time: end === null ? '' : formats.relative(end) })
    return due_by !== null && !isLate(closed) && orderState(closed) !== 'withdrawn'
      ? `${words}, ${t('production.order.finishedOnTime')}`
      : words
  }
  function working(one: Order): string {
    const count = atWork(one).length
    if (count > 0) return t('production.order.working', { count })
    return one.status === 'created' ? t('production.order.notStarted') : t('production.order.nobody')
  }
  return (
    <span className="tw-wo-answer">
      <span className="tw-wo-parts">
        <b className="tw-wo-made">{made}</b>
        {parts.map((part) => (
          <span className="tw-wo-part" key={part}>
            {part}
          </span>
        ))}
      </span>
    </span>
  )
}
