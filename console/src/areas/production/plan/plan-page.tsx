import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApiFailure } from '@/api'
import { useText } from '@/i18n'
import { useLive } from '@/live'
import { useSession } from '@/session'
import { Icon } from '@/ui/icons'
import { PageHead } from '@/ui/PageHead'
import { Created, type Made } from '../new-order/created'
import { NewOrder, NewOrderButton } from '../new-order/new-order'
import type { Order } from '../orders'
import { queueQuery } from '../queries'
import { planRoute } from '../routes'
import { AllOrders } from './all-orders'
import { countsOf } from './filters'
import { ofProduct } from './of-product'
import { QueueView } from './queue-view'
import type { PlanSearch } from './search'
import { Views } from './views'
import '../told.css'
import './plan.css'
import './order-card.css'

/** What is to be made, in which sequence. */
export default function PlanPage() {
  const t = useText()
  const { can } = useSession()
  const search = planRoute.useSearch()
  const navigate = planRoute.useNavigate()
  const queue = useQuery(queueQuery)
  const [made, setMade] = useState<Made | null>(null)
  const [failure, setFailure] = useState<ApiFailure | null>(null)
  const mayCreate = can('production:work-order:create')
  useLive(['production', 'issue'])

  const change = (changes: Partial<PlanSearch>) =>
    void navigate({ search: (old: PlanSearch) => ({ ...old, ...changes }), replace: true })
  const openForm = () => {
    setMade(null)
    void navigate({ search: (old: PlanSearch) => ({ ...old, new: true, product: old.of }) })
  }
  const closeForm = () => change({ new: undefined, product: undefined })

  return (
    <>
      <PageHead
        title={t('pages.plan')}
        answer={queue.data && <Answer search={search} orders={ofProduct(queue.data, search.of)} />}
        actions={mayCreate && <NewOrderButton onOpen={openForm} />}
      />
      <Views view={search.view} of={search.of} />
      {made && <Created made={made} onDismiss={() => setMade(null)} />}
      {failure && (
        <p className="tw-told" data-tone="critical" role="alert">
          <Icon name="critical" />
          {t('production.plan.failed', {
            message: failure.offline ? t('production.plan.offline') : failure.message,
          })}
        </p>
      )}
      {search.view === 'orders' ? (
        <AllOrders search={search} onChange={change} />
      ) : (
        <QueueView queue={queue} search={search} onChange={change} onFailed={setFailure} onNew={openForm} />
      )}
      {search.new && <NewOrder product={search.product} onClose={closeForm} onMade={setMade} />}
    </>
  )
}

/** How many orders are open, and what about them needs attention. */
function Answer({ search, orders }: { search: PlanSearch; orders: readonly Order[] }) {
  const t = useText()
  if (search.view === 'orders') return null
  if (orders.length === 0) return <>{t('production.plan.none')}</>
  const counts = countsOf(orders)
  const parts = [
    t('production.plan.open', { count: orders.length }),
    ...(counts.running > 0 ? [t('production.plan.n.running', { count: counts.running })] : []),
    ...(counts.late > 0 ? [t('production.plan.n.late', { count: counts.late })] : []),
    ...(counts.critical > 0 ? [t('production.plan.n.critical', { count: counts.critical })] : []),
  ]
  return <>{parts.join(' · ')}</>
}
