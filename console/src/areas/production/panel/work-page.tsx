import { useText } from '@/i18n'
import { useScan } from '@/scan'
import { fullName } from '@/session'
import { useDocumentTitle } from '@/ui/document-title'
import { LoadFailed } from '@/ui/LoadFailed'
import { useMood } from '@/ui/mood'
import { Lines, PageSkeleton } from '@/ui/Skeletons'
import './panel.css'
import { BeginView } from './parts/begin-view'
import { Components } from './parts/components'
import { Foot } from './parts/foot'
import { Head } from './parts/head'
import { Notices } from './parts/notices'
import { Marked, Size } from './parts/size'
import { Closed, Finish, Paused, Theirs, Waiting } from './parts/standing'
import { Flag, StepView } from './parts/step-view'
import { workRoute } from './routes'
import { jobName, useTake } from './take'
import { useBenchScan } from './use-bench-scan'
import { type Flow, useFlow } from './use-flow'
import { useWork, type Work } from './use-work'

/** Work on one job. */
export default function WorkPage() {
  useMood('floor')
  const { jobKey } = workRoute.useParams()
  const state = useWork(jobKey)
  useEarlyScan(state.state === 'pending' || (state.state === 'ready' && state.work.settling))
  // Where the job can't be shown, another can be taken.
  useScan(useTake(), { enabled: state.state === 'failed', typed: true })
  if (state.state === 'pending') return <PageSkeleton />
  if (state.state === 'failed') return <LoadFailed error={state.error} onRetry={state.retry} />
  return <Card key={jobKey} work={state.work} />
}

/** Until it is known what is worked on, a scan says so; it must not open another page. */
function useEarlyScan(early: boolean): void {
  const t = useText()
  useScan(() => ({ ok: false, say: t('scan.loading') }), { priority: -1, enabled: early, typed: true })
}

function Card({ work }: { work: Work }) {
  const { unit } = workRoute.useSearch()
  const flow = useFlow(work, unit)
  useDocumentTitle(jobName(work.job))
  return (
    <div className="pn">
      <Head work={work} />
      <Notices flow={flow} />
      <Body flow={flow} />
      <Foot flow={flow} />
    </div>
  )
}

function Body({ flow }: { flow: Flow }) {
  const { work, main, place } = flow
  const { job } = work
  if (main.act === 'wait') return <Waiting />
  if (job.stage === 'closed') return <Closed flow={flow} />
  if (job.active_batch_key === null) return <BeginView flow={flow} />
  if (work.settling) return <Lines count={6} />
  if (!job.active) return <Paused flow={flow} />
  if (main.why === 'theirs') return <Theirs who={fullName(job.assigned_user ?? {})} />
  return <Bench flow={flow} key={work.batch?._key} ended={place.view === null} />
}

/** At work: the step, and beside it what to scan. */
function Bench({ flow, ended }: { flow: Flow; ended: boolean }) {
  const { last } = useBenchScan(flow)
  const { work, bench } = flow
  const beside = bench.slots.length > 0 || (work.units?.length ?? 0) > 0 || work.job.wo_bom.length > 0
  return (
    <div className="pn-bench" data-beside={beside || undefined}>
      <div className="pn-task">
        {ended ? <Finish flow={flow} /> : <StepView flow={flow} />}
        <div className="pn-rest">
          <Flag flow={flow} />
          <Size flow={flow} />
        </div>
        <Marked flow={flow} />
      </div>
      {beside && <Components flow={flow} last={last} />}
    </div>
  )
}
