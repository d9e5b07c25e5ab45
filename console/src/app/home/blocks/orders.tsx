import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '@/api'
import { ratio } from '@/api/decimal'
import { TroubleMark } from '@/areas/production/marks'
import { useFormats, useText } from '@/i18n'
import { useLive } from '@/live'
import { Code } from '@/ui/Code'
import { Due } from '@/ui/Moment'
import { Progress } from '@/ui/Progress'
import { StatusMark } from '@/ui/StatusMark'
import { orderState } from '@/ui/states'
import { Block, Calm, Rest, ROWS, Row, Rows } from '../Block'
import { type Lag, lagging } from '../pace'
import { ordersQuery } from '../queries'

type Order = Schemas['WorkOrderRead']

/** Why it lags, and how far it is. */
function Pace({ order, lag }: { order: Order; lag: Lag }) {
  const t = useText()
  const formats = useFormats()
  const work = t('marks.work', { share: formats.share(ratio(order.progress, 100)) })
  return (
    <span className="tw-home-pace">
      <TroubleMark trouble={lag} />
      <span className="tw-home-covered">
        <Progress
          done={order.progress}
          total={100}
          label={t('home.orders.progress', { code: order.wo_code })}
          words={work}
          bare
        />
        <span className="tw-home-share">{work}</span>
      </span>
    </span>
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
            {t('home.due')} <Due at={order.due_by} />
          </span>
          {order.status === 'started' && <StatusMark of="order" state={orderState(order)} />}
          {order.critical && <StatusMark of="issue" state="critical" />}
        </>
      }
      end={<Pace order={order} lag={lag} />}
    />
  )
}

/** The orders that will not be ready in time as things stand. */
export function OrdersBlock() {
  const t = useText()
  const query = useQuery(ordersQuery)
  useLive(['production'])
  const late = query.data && lagging(query.data.rows, new Date())
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
