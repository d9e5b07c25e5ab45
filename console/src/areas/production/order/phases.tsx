import { useQuery } from '@tanstack/react-query'
import { isZero } from '@/api/decimal'
import { useFormats, useText } from '@/i18n'
import { fullName, useSession } from '@/session'
import { Progress } from '@/ui/Progress'
import { Section } from '@/ui/Section'
import { StatusMark } from '@/ui/StatusMark'
import { lookOf } from '@/ui/states'
import { type Order, type PhaseSum, phasesOf } from '../orders'
import { wipQuery } from '../queries'

/** The way through the phases: what is done in each, and what waits between them. */
export function Phases({ order }: { order: Order }) {
  const t = useText()
  const phases = phasesOf(order)
  return (
    <Section title={t('production.phase.title')}>
      <ol className="tw-wo-phases">
        {phases.map((phase, at) => (
          <li key={phase.key}>
            {at > 0 && <Between phase={phase} />}
            <PhaseNode phase={phase} />
          </li>
        ))}
      </ol>
    </Section>
  )
}

/** The arrow into a phase, with what waits in front of it. */
function Between({ phase }: { phase: PhaseSum }) {
  const t = useText()
  const formats = useFormats()
  const { can } = useSession()
  const job = phase.jobs[0]
  const wip = useQuery({
    ...wipQuery(job?._key ?? ''),
    enabled: job !== undefined && can('traceability:batch-execution-record:read'),
  })
  const waiting = wip.data?.free_wip_qt_upstream ?? 0
  return (
    <div className="tw-wo-phase-between" data-waiting={!isZero(waiting) || undefined}>
      {!isZero(waiting) && (
        <span title={t('production.phase.waitingHint')}>
          {t('production.phase.waiting', { count: 1, quantity: formats.decimal(waiting) })}
        </span>
      )}
    </div>
  )
}

function PhaseNode({ phase }: { phase: PhaseSum }) {
  const t = useText()
  const formats = useFormats()
  const people = [...new Set(phase.jobs.flatMap((job) => (job.assigned_user ? [fullName(job.assigned_user)] : [])))]
  const passed = t('marks.passed', {
    done: formats.decimal(phase.completed),
    total: formats.decimal(phase.planned),
  })
  return (
    <div className="tw-wo-phase" data-tone={lookOf('job', phase.state).tone}>
      <div className="tw-wo-phase-head">
        <b>{phase.alias}</b>
        <StatusMark of="job" state={phase.state} />
      </div>
      <Progress
        done={phase.completed}
        total={phase.planned}
        scrap={phase.scrap}
        label={phase.alias}
        words={passed}
        bare
      />
      <div className="tw-wo-phase-amounts">
        <span>{passed}</span>
        {!isZero(phase.inWork) && (
          <span>{t('production.phase.inWork', { quantity: formats.decimal(phase.inWork) })}</span>
        )}
        {!isZero(phase.scrap) && (
          <span className="tw-wo-scrap">{t('marks.scrap', { count: formats.decimal(phase.scrap) })}</span>
        )}
      </div>
      <div className="tw-wo-phase-who">
        {people.length > 0 ? people.join(', ') : t('production.phase.noOperator')}
        {phase.jobs.length > 1 && ` · ${t('production.phase.jobs', { count: phase.jobs.length })}`}
      </div>
    </div>
  )
}
