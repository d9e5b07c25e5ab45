import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isZero } from '@/api/decimal'
import { useFormats, useText } from '@/i18n'
import { useScan } from '@/scan'
import { useSession } from '@/session'
import { Go } from '@/ui/Go'
import { Icon, type IconName } from '@/ui/icons'
import { bandsOf, nextJob } from '../logic/bands'
import { queueQuery, unassignedQuery } from '../queries'
import { useTake, workPage } from '../take'
import type { Flow } from '../use-flow'
import { Entered } from './entered'
import { Rail } from './rail'
import { useSince } from './since'

interface StandingProps {
  readonly icon: IconName
  readonly tone: 'waiting' | 'done' | 'todo' | 'running'
  readonly title: string
  readonly children?: ReactNode
}

function Standing({ icon, tone, title, children }: StandingProps) {
  return (
    <section className="pn-standing" data-tone={tone} aria-labelledby="pn-step">
      <Icon name={icon} size={56} />
      <h1 id="pn-step">{title}</h1>
      {children}
    </section>
  )
}

/** While nothing can be done here, a scan may take another order; of anything else it is said why not. */
function useIdleScan(why: string): void {
  const take = useTake()
  useScan(async (scan) => (await take(scan)) ?? { ok: false, say: why }, { priority: 10, typed: true })
}

/** After silence: whether work went on decides from when it counts. The main button says that it did. */
function OfflinePause({ flow }: { flow: Flow }) {
  const t = useText()
  const since = useSince()
  const { refused, pending, job } = flow.work
  const kept = refused.length + pending.length
  return (
    <Standing icon="paused" tone="waiting" title={since('panel.paused.offline', job.last_online ?? '')}>
      <p>{t('panel.paused.offlineText')}</p>
      {kept > 0 && <p>{t('panel.paused.kept', { count: kept })}</p>}
      {kept === 0 && (
        <Button variant="default" onClick={() => flow.backOnline(null)}>
          {t('panel.paused.stopped')}
        </Button>
      )}
    </Standing>
  )
}

export function Paused({ flow }: { flow: Flow }) {
  const t = useText()
  const since = useSince()
  useIdleScan(t('panel.scan.paused'))
  const { job, session, online } = flow.work
  if (flow.silent) return <OfflinePause flow={flow} />
  const at = online ? (session?.end ?? job.last_online) : null
  return (
    <Standing icon="paused" tone="waiting" title={t('panel.paused.title')}>
      {at && <p>{since('panel.paused.at', at)}</p>}
    </Standing>
  )
}

export function Theirs({ who }: { who: string }) {
  const t = useText()
  const title = t('panel.theirs.title', { who })
  useIdleScan(title)
  return <Standing icon="person" tone="running" title={title} />
}

export function Waiting() {
  const t = useText()
  useIdleScan(t('panel.wait.text'))
  return (
    <Standing icon="waiting" tone="waiting" title={t('panel.wait.title')}>
      <p>{t('panel.wait.text')}</p>
    </Standing>
  )
}

export function Closed({ flow }: { flow: Flow }) {
  const t = useText()
  const formats = useFormats()
  useIdleScan(t('panel.scan.closed'))
  const { user_key: me } = useSession()
  const { job } = flow.work
  const own = useQuery(queueQuery(me))
  const free = useQuery(unassignedQuery(me))
  const next = nextJob(bandsOf(own.data ?? [], free.data ?? [], new Date()), job._key)
  const made = t('panel.closed.made', { count: Number(job.qt_completed), shown: formats.decimal(job.qt_completed) })
  const scrap = t('panel.main.scrapped', { count: Number(job.qt_scrap), shown: formats.decimal(job.qt_scrap) })
  return (
    <Standing icon="done" tone="done" title={t('panel.closed.title')}>
      <p>{isZero(job.qt_scrap) ? made : `${made}, ${scrap}`}</p>
      {next && (
        <Go className="pn-link" to={workPage(next._key)}>
          {t('panel.closed.next', { order: next.wo_code, phase: next.phase_alias })}
        </Go>
      )}
    </Standing>
  )
}

/** All steps are done, or there are none: the batch itself is left. Until it ends, its steps and answers can be read and corrected. */
export function Finish({ flow }: { flow: Flow }) {
  const t = useText()
  const formats = useFormats()
  const { work, main, place } = flow
  const count = formats.decimal(work.batch?.qt_total ?? 0)
  return (
    <section className="pn-step" aria-labelledby="pn-step">
      <Rail flow={flow} />
      <h1 id="pn-step">{place.steps.length > 0 ? t('panel.finish.title') : t('panel.make.title', { count })}</h1>
      {main.why === 'components' && <p className="pn-lead">{t('panel.finish.scan')}</p>}
      <Entered flow={flow} />
    </section>
  )
}
