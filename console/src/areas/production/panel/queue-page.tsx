import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useFormats, useText } from '@/i18n'
import { useLive } from '@/live'
import { useScan } from '@/scan'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { dueDay, startDay } from '@/ui/days'
import { Empty } from '@/ui/Empty'
import { Go } from '@/ui/Go'
import { Icon } from '@/ui/icons'
import { LoadFailed } from '@/ui/LoadFailed'
import { useMood } from '@/ui/mood'
import { PageHead } from '@/ui/PageHead'
import { Lines } from '@/ui/Skeletons'
import { StatusMark, ToneMark } from '@/ui/StatusMark'
import { jobState } from '@/ui/states'
import { JobProgress } from '../job-progress'
import { isLate } from '../orders'
import { workDrafts } from './drafts'
import { BANDS, type Band, type Bands, bandsOf, type Entry, expectationOf } from './logic/bands'
import './panel.css'
import { TypeCode } from './parts/type-code'
import { configQuery, queueQuery, unassignedQuery } from './queries'
import { useTake, workPage } from './take'

/** What an operator has to do: running, ready, expected. */
export default function QueuePage() {
  useMood('floor')
  const t = useText()
  const take = useTake()
  const { user_key: me } = useSession()
  const own = useQuery(queueQuery(me))
  const unassigned = useQuery(unassignedQuery(me))
  const config = useQuery(configQuery)
  useLive(['production'])
  useScan(take, { typed: true })
  useEffect(() => workDrafts.sweep(), [])
  if (own.isPending) return <Lines count={8} />
  if (own.isError) return <LoadFailed error={own.error} onRetry={() => void own.refetch()} />
  const mayTake = config.data?.show_unassigned_jobs_to_operators !== false
  const bands = bandsOf(own.data, mayTake ? (unassigned.data ?? []) : [], new Date())
  return <Queue bands={bands} title={t('pages.panel')} />
}

function Queue({ bands, title }: { bands: Bands; title: string }) {
  const t = useText()
  const { running, ready, expected } = bands
  const count = running.length + ready.length + expected.length
  return (
    <div className="pn-queue">
      <PageHead
        title={title}
        answer={
          <>
            {count > 0 && <Counts bands={bands} />}
            <span className="pn-hint">
              <Icon name="scan" size={22} /> {t('panel.queue.scan')}
            </span>
          </>
        }
        actions={<TypeCode />}
      />
      {count === 0 && (
        <Empty icon="panel" title={t('panel.queue.empty.title')}>
          {t('panel.queue.empty.text')}
        </Empty>
      )}
      {count > 0 && (
        <>
          {running.length > 0 && <BandList band="running" entries={running} />}
          <BandList band="ready" entries={ready} />
          {expected.length > 0 && <BandList band="expected" entries={expected} />}
        </>
      )}
    </div>
  )
}

/** How much there is to do: what is assigned to me, as the home page counts it, and what anybody may take. */
function Counts({ bands }: { bands: Bands }) {
  const t = useText()
  const counted = (free: boolean) =>
    BANDS.flatMap((band) => {
      const count = bands[band].filter((entry) => entry.free === free).length
      return count > 0 ? [t(`panel.queue.n.${band}`, { count })] : []
    }).join(' · ')
  const [mine, anybody] = [counted(false), counted(true)]
  return (
    <span className="pn-counts">
      {mine !== '' && <span>{t('panel.queue.mine', { counts: mine })}</span>}
      {anybody !== '' && <span>{t('panel.queue.anybody', { counts: anybody })}</span>}
    </span>
  )
}

function BandList({ band, entries }: { band: Band; entries: readonly Entry[] }) {
  const t = useText()
  return (
    <section className="pn-band" data-band={band} aria-labelledby={`pn-${band}`}>
      <h2 id={`pn-${band}`}>{t(`panel.band.${band}`)}</h2>
      {entries.length === 0 && <p className="pn-place">{t('panel.band.ready.none')}</p>}
      <ul>
        {entries.map((entry) => (
          <Row key={entry.job._key} entry={entry} band={band} />
        ))}
      </ul>
    </section>
  )
}

/** What is special about a job, in its own corner. */
function Marks({ entry: { job, free }, band }: { entry: Entry; band: Band }) {
  const t = useText()
  const formats = useFormats()
  const wait = expectationOf(job, new Date())
  const state = jobState(job)
  return (
    <span className="pn-marks">
      {(band === 'running' || (band === 'ready' && state === 'between')) && <StatusMark of="job" state={state} />}
      {job.critical && <StatusMark of="issue" state="critical" />}
      {!job.critical && job.issues_open > 0 && (
        <ToneMark tone="waiting" icon="issue">
          {t('panel.queue.issues', { count: job.issues_open })}
        </ToneMark>
      )}
      {isLate(job) && (
        <ToneMark tone="critical" icon="late">
          {t('ui.state.late')}
        </ToneMark>
      )}
      {free && (
        <ToneMark tone="todo" icon="person">
          {t('panel.queue.free')}
        </ToneMark>
      )}
      {band === 'expected' && (
        <ToneMark tone="waiting" icon="waiting">
          {wait === 'later' && job.start_from
            ? t('panel.queue.waits.later', { date: formats.date(startDay(job.start_from)) })
            : t('panel.queue.waits.supply')}
        </ToneMark>
      )}
      {job.due_by && <span className="pn-due">{t('panel.queue.due', { date: formats.date(dueDay(job.due_by)) })}</span>}
    </span>
  )
}

function Row({ entry, band }: { entry: Entry; band: Band }) {
  const { job } = entry
  return (
    <li>
      <Go className="pn-row" to={workPage(job._key)} data-running={job.active || undefined}>
        <span className="pn-row-what">
          <span className="pn-row-title">
            {job.phase_alias} <Code bare>{job.wo_code}</Code>
          </span>
          <span className="pn-row-product">
            <Code bare>{job.product_code}</Code> {job.product_description}
          </span>
        </span>
        <Marks entry={entry} band={band} />
        <JobProgress job={job} />
        <Icon name="right" size={26} />
      </Go>
    </li>
  )
}
