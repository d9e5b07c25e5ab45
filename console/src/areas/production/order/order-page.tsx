import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useLive } from '@/live'
import { LoadFailed } from '@/ui/LoadFailed'
import { PageSkeleton } from '@/ui/Skeletons'
import { orderQuery } from '../queries'
import { orderRoute } from '../routes'
import { Batches } from './batches'
import { OrderHead } from './head'
import { Issues } from './issues'
import { Jobs } from './jobs'
import { Materials } from './materials'
import { Phases } from './phases'
import { Sheet } from './sheet'
import { Costs, Documents, Notes, OrderFacts } from './side'
import { Traced } from './traced'
import '../plan/plan.css'
import './order.css'
import './lines.css'
import './phases.css'
import './sheet.css'

/** Keeps the page of one order up to date. */
function useFollowing(orderKey: string): void {
  const client = useQueryClient()
  useLive(['production', 'issue'], (notice) => {
    if (notice.topic !== 'production' || notice.work_order_key === undefined) return true
    if (notice.work_order_key !== orderKey) return false
    void client.invalidateQueries({ queryKey: ['batch'], predicate: ({ state }) => mayHaveChanged(notice, state.data) })
    return true
  })
}

const CORRECTIONS = new Set(['BATCH_CANCELED', 'JOB_RESET', 'PROGRESS_OVERRIDE_REQUESTED', 'TIME_OVERRIDE_REQUESTED'])

/** Whether a notice of the order may concern a batch that is shown. */
export function mayHaveChanged(notice: { notification: string; batch_key?: string }, batch: unknown): boolean {
  if (CORRECTIONS.has(notice.notification)) return true
  if (typeof batch !== 'object' || batch === null) return true
  const { active, _key } = batch as { active?: boolean; _key?: string }
  return active !== false || _key === notice.batch_key
}

/** One order: how far, by when, what is wrong; and everything about it. */
export default function OrderPage() {
  const { orderKey } = orderRoute.useParams()
  const query = useQuery(orderQuery(orderKey))
  useFollowing(orderKey)
  if (query.isPending) return <PageSkeleton />
  if (query.isError && query.data === undefined) {
    return <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
  }
  const order = query.data
  return (
    <>
      <OrderHead order={order} />
      <Phases order={order} />
      <div className="tw-wo-columns">
        <div>
          <Jobs order={order} />
          <Issues order={order} />
          <Materials order={order} />
          <Batches order={order} />
        </div>
        <div className="tw-wo-side">
          <OrderFacts order={order} />
          <div>
            <Notes order={order} />
            <Costs order={order} />
            <Documents order={order} />
          </div>
        </div>
      </div>
      <Traced order={order} />
      <Sheet order={order} />
    </>
  )
}
