import { useText } from '@/i18n'
import { StatusMark, ToneMark } from '@/ui/StatusMark'
import { jobState } from '@/ui/states'
import { isBetweenBatches, type Job } from './orders'

/** How a job stands. Between two batches it is not paused: the next batch can begin. */
export function JobMark({ job, look = 'plain' }: { job: Job; look?: 'plain' | 'tag' }) {
  const t = useText()
  if (!isBetweenBatches(job)) return <StatusMark of="job" state={jobState(job)} look={look} />
  return (
    <ToneMark tone="running" icon="running" look={look}>
      {t('panel.queue.nextBatch')}
    </ToneMark>
  )
}
