import { useText } from '@/i18n'
import { StatusMark, ToneMark } from '@/ui/StatusMark'
import { orderState } from '@/ui/states'
import { isBetweenBatches, type Job, type Order, stateOfJobs } from './orders'

type Look = 'plain' | 'tag'

function NextBatch({ look }: { look: Look }) {
  const t = useText()
  return (
    <ToneMark tone="running" icon="running" look={look}>
      {t('panel.queue.nextBatch')}
    </ToneMark>
  )
}

/** How a job stands, or the jobs of a phase together. Between two batches they are not paused: the next one can begin. */
export function JobMark({ jobs, look = 'plain' }: { jobs: readonly Job[]; look?: Look }) {
  if (isBetweenBatches(jobs)) return <NextBatch look={look} />
  return <StatusMark of="job" state={stateOfJobs(jobs)} look={look} />
}

export function OrderMark({ order, look = 'plain' }: { order: Order; look?: Look }) {
  const state = orderState(order)
  if (state === 'paused' && isBetweenBatches(order.jobs)) return <NextBatch look={look} />
  return <StatusMark of="order" state={state} look={look} />
}
