import { NativeSelect } from '@mantine/core'
import { isZero } from '@/api/decimal'
import { useText } from '@/i18n'
import { fullName, useSession } from '@/session'
import { Moment } from '@/ui/Moment'
import { Quantity } from '@/ui/Quantity'
import { Section } from '@/ui/Section'
import { StatusMark, ToneMark } from '@/ui/StatusMark'
import { jobState } from '@/ui/states'
import { type Act, assignJob, useAct } from '../mutations'
import type { Job, Order } from '../orders'
import { usePeople } from '../people'
import { refuseAssign } from './allowed'
import { Failed } from './failed'
import { JobMenu } from './job-menu'

/** Who does what: one job for each phase, or several where a phase is split. */
export function Jobs({ order }: { order: Order }) {
  const t = useText()
  const { can } = useSession()
  const { act, failure, clear } = useAct()
  const may = can('production:job:update')
  const anyScrap = order.jobs.some((job) => !isZero(job.qt_scrap))
  const anyIssue = order.jobs.some((job) => job.issues_total > 0)
  return (
    <Section title={t('production.job.title')} count={order.jobs.length}>
      <Failed failure={failure} onDismiss={clear} />
      <div className="tw-wo-lines-scroll">
        <table className="tw-wo-lines">
          <thead>
            <tr>
              <th scope="col">{t('production.job.phase')}</th>
              <th scope="col">{t('production.job.state')}</th>
              <th scope="col">{t('production.job.operator')}</th>
              <th scope="col" data-numeric>
                {t('production.job.planned')}
              </th>
              <th scope="col" data-numeric>
                {t('production.job.completed')}
              </th>
              {anyScrap && (
                <th scope="col" data-numeric>
                  {t('production.job.scrap')}
                </th>
              )}
              <th scope="col" data-numeric>
                {t('production.job.inWork')}
              </th>
              <th scope="col">{t('production.job.expected')}</th>
              {anyIssue && (
                <th scope="col" data-numeric>
                  {t('production.job.issues')}
                </th>
              )}
              <th scope="col">
                <span className="tw-hidden">{t('production.action.more')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {order.jobs.map((job) => (
              <tr key={job._key}>
                <th scope="row">{job.phase_alias}</th>
                <td>
                  <JobState job={job} />
                </td>
                <td>
                  <Operator job={job} editable={may} act={act} />
                </td>
                <td data-numeric>
                  <Quantity value={job.qt_planned} />
                </td>
                <td data-numeric>
                  <Quantity value={job.qt_completed} />
                </td>
                {anyScrap && (
                  <td data-numeric>
                    <Amount value={job.qt_scrap} />
                  </td>
                )}
                <td data-numeric>
                  <Amount value={job.active_batch_qt} />
                </td>
                <td>{job.active ? <Moment at={job.estimated_completion} /> : <Ended job={job} />}</td>
                {anyIssue && (
                  <td data-numeric>
                    <Amount value={job.issues_open} />
                  </td>
                )}
                <td className="tw-wo-lines-end">
                  <JobMenu job={job} act={act} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  )
}

/** A quantity; nothing where it is zero, so that the others stand out. */
function Amount({ value }: { value: string | number }) {
  return <Quantity value={isZero(value) ? null : value} />
}

function Ended({ job }: { job: Job }) {
  const t = useText()
  if (job.end === null || job.close_reason === null) return <Moment at={null} />
  return (
    <span className="tw-wo-lines-soft">
      {t(`production.job.closed.${job.close_reason}`)}, <Moment at={job.end} />
    </span>
  )
}

function JobState({ job }: { job: Job }) {
  const t = useText()
  return (
    <span className="tw-wo-job-state">
      <StatusMark of="job" state={jobState(job)} />
      {job.critical && (
        <ToneMark tone="critical" icon="critical">
          {t('ui.state.issue.critical')}
        </ToneMark>
      )}
      {job.forced !== null && <span className="tw-wo-lines-soft">{t('production.job.forced')}</span>}
    </span>
  )
}

/** Whose job it is; planners choose. */
function Operator({ job, editable, act }: { job: Job; editable: boolean; act: Act }) {
  const t = useText()
  const { operators } = usePeople()
  const name = job.assigned_user ? fullName(job.assigned_user) : undefined
  const refusal = refuseAssign(job)
  if (!editable || refusal !== null || operators.length === 0) {
    return <span className={name ? 'tw-wo-lines-name' : 'tw-wo-lines-soft'}>{name ?? t('production.job.nobody')}</span>
  }
  const known = operators.some(({ _key }) => _key === job.assigned_to)
  return (
    <NativeSelect
      size="xs"
      variant="unstyled"
      className="tw-wo-operator"
      aria-label={t('production.job.operatorOf', { phase: job.phase_alias })}
      value={job.assigned_to ?? ''}
      onChange={(event) => {
        const key = event.currentTarget.value
        void act((sending) => assignJob(sending, job._key, key === '' ? null : key))
      }}
    >
      <option value="">{t('production.job.nobody')}</option>
      {job.assigned_to !== null && !known && <option value={job.assigned_to}>{name}</option>}
      {operators.map((person) => (
        <option key={person._key} value={person._key}>
          {fullName(person)}
        </option>
      ))}
    </NativeSelect>
  )
}
