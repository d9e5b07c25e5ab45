import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '@/api'
import { useFormats, useText } from '@/i18n'
import { useLive } from '@/live'
import { Code } from '@/ui/Code'
import { Moment } from '@/ui/Moment'
import { Progress } from '@/ui/Progress'
import { StatusMark, ToneMark } from '@/ui/StatusMark'
import { orderState } from '@/ui/states'
import { Block, Calm, Rest, ROWS, Row, Rows } from '../Block'
import { type Lag, lagging } from '../pace'
import { ordersQuery } from '../queries'

type Order = Schemas['WorkOrderRead']

function LagMark({ lag }: { lag: Lag }) {
  const t = useText()
  const formats = useFormats()
  if (lag.kind === 'late')
    return (
      <ToneMark tone="critical" icon="late">
        {t('ui.state.late')}
      </ToneMark>
    )
  if (lag.kind === 'notStarted') {
    return (
      <ToneMark tone="waiting" icon="waiting">
        {t('home.orders.notStarted')}
      </ToneMark>
    )
  }
  return (
    <ToneMark tone="waiting" icon="waiting">
      {t('home.orders.behind', { expected: formats.share(lag.expected) })}
    </ToneMark>
  )
}

function OrderRow({ order, lag }: { order: Order; lag: Lag }) {
  const t = useText()
  return (
    <Row
      to={`/order/${encodeURIComponent(order._key)}`}
      title={
        <>
          <Code bare>{order.wo_code}</Code>{' '}
          <span className="tw-home-of">{order.product_description ?? order.product_code}</span>
        </>
      }
      about={
        <>
          <span>
            {t('home.due')} <Moment at={order.due_by} />
          </span>
          {order.status === 'started' && <StatusMark of="order" state={orderState(order)} />}
          {order.critical && <StatusMark of="issue" state="critical" />}
        </>
      }
      end={
        <span className="tw-home-pace">
          <LagMark lag={lag} />
          <Progress
            done={order.qt_completed}
            total={order.qt_planned}
            scrap={order.qt_scrap}
            label={t('home.orders.progress', { code: order.wo_code })}
          />
        </span>
      }
    />
  )
}

/** The orders that will not be ready in time as things stand. */
export function OrdersBlock() {
  const t = useText()
  const query = useQuery(ordersQuery)
  useLive(['production'])
  const late = query.data && lagging(query.data.rows, Date.now())
  return (
    <Block
      name="orders"
      title={t('home.orders.title')}
      count={late?.length}
      query={query}
      more={{ to: '/plan', label: t('home.orders.more') }}
    >
      {({ rows, total }) =>
        late === undefined || late.length === 0 ? (
          <Calm>
            {rows.length === 0 ? t('home.orders.noOrders') : t('home.orders.none', { count: total ?? rows.length })}
          </Calm>
        ) : (
          <>
            <Rows>
              {late.slice(0, ROWS).map(({ order, lag }) => (
                <OrderRow key={order._key} order={order} lag={lag} />
              ))}
            </Rows>
            {late.length > ROWS && <Rest>{t('home.further', { count: late.length - ROWS })}</Rest>}
          </>
        )
      }
    </Block>
  )
}
