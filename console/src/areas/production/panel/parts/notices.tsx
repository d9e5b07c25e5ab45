import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import { failureOf } from '@/api'
import { useFormats, useRich, useText } from '@/i18n'
import { type OutboxEntry, useOutbox } from '@/outbox'
import { useSession } from '@/session'
import { Go } from '@/ui/Go'
import { Icon, type IconName } from '@/ui/icons'
import { Folded } from '@/ui/LongText'
import { linesOf } from '@/ui/long-text'
import { type OthersMarks, refusalKey, refusals } from '../drafts'
import { scrapKeys, scrapQt, scrapReason } from '../logic/scrap'
import { criticalIssuesQuery, jobQuery } from '../queries'
import { useCell } from '../store'
import { jobName, workPage } from '../take'
import { unitName } from '../use-bench-scan'
import type { Flow } from '../use-flow'
import type { Work } from '../use-work'

interface NoticeProps {
  readonly tone: 'waiting' | 'critical' | 'todo'
  readonly icon: IconName
  readonly title: ReactNode
  readonly alert?: boolean
  readonly children?: ReactNode
}

function Notice({ tone, icon, title, alert = false, children }: NoticeProps) {
  return (
    <div className="pn-notice" data-tone={tone} role={alert ? 'alert' : 'status'}>
      <Icon name={icon} size={26} />
      <div>
        <b>{title}</b> {children}
      </div>
    </div>
  )
}

interface Missing {
  readonly serial_key: string
  readonly component_code: string
  readonly required: number
  readonly linked: number
}

/** What the service refused, in its words, and what helps. */
function Refused({ work }: { work: Work }) {
  const t = useText()
  const [failure] = useCell(refusals, refusalKey(work.me, work.job._key))
  if (failure === null) return null
  const { message, data, errorType, faults } = failureOf(failure)
  const missing = errorType === 'ComponentsMissingError' ? ((data.missing ?? []) as Missing[]) : []
  const elsewhere = errorType === 'UserHasActiveJobError' || errorType === 'ParallelJobNotAllowedError'
  return (
    <Notice tone="critical" icon="critical" title={`${t('panel.refused.title')}:`} alert>
      {faults.length > 1 ? faults.map((fault) => fault.message).join(' ') : message}
      {missing.length > 0 && (
        <ul>
          {missing.slice(0, 8).map((one) => (
            <li key={`${one.serial_key} ${one.component_code}`}>
              {t('panel.refused.missing', {
                unit: unitName(t, work.units, one.serial_key),
                part: one.component_code,
                linked: one.linked,
                required: one.required,
              })}
            </li>
          ))}
        </ul>
      )}
      {elsewhere && typeof data.job_key === 'string' && data.job_key !== work.job._key && (
        <ToJob jobKey={data.job_key} />
      )}
    </Notice>
  )
}

/** An entry that was refused while the line was cut: what builds on it waits until somebody decides. */
function Held({ entry }: { entry: OutboxEntry }) {
  const t = useText()
  const { retry, discard } = useOutbox()
  return (
    <Notice tone="critical" icon="critical" title={`${t('panel.refused.title')}:`} alert>
      {entry.label}. {entry.refusal?.message}
      <p className="pn-notice-actions">
        <button type="button" onClick={() => retry(entry.key)}>
          {t('frame.outbox.retry')}
        </button>
        <button type="button" onClick={() => discard(entry.key)}>
          {t('frame.outbox.discard')}
        </button>
      </p>
    </Notice>
  )
}

/** Scrap that another user of this device has marked. It must neither pass nor be sent as if it were this user's. */
function MarkedByOther({ work, others: { author, marks } }: { work: Work; others: OthersMarks }) {
  const t = useText()
  const formats = useFormats()
  const what =
    work.units === null
      ? formats.decimal(scrapQt(marks))
      : scrapKeys(marks)
          .map((key) => unitName(t, work.units, key))
          .join(', ')
  return (
    <Notice tone="critical" icon="scrapped" title={t('panel.others.title', { who: author.name, what })} alert>
      {scrapReason(marks)}
      <p className="pn-notice-actions">
        <button type="button" onClick={() => work.takeOver(author)}>
          {t('panel.others.take')}
        </button>
        <button type="button" onClick={() => work.dropMarks(author)}>
          {t('panel.others.drop')}
        </button>
      </p>
    </Notice>
  )
}

function ToJob({ jobKey }: { jobKey: string }) {
  const t = useText()
  const { data } = useQuery(jobQuery(jobKey))
  return (
    <p>
      <Go to={workPage(jobKey)}>{data ? jobName(data) : t('panel.refused.toJob')}</Go>
    </p>
  )
}

/** Which critical issues are open, for those who may read them. */
function Critical({ jobKey }: { jobKey: string }) {
  const t = useText()
  const rich = useRich()
  const { can } = useSession()
  const { data } = useQuery(criticalIssuesQuery(jobKey, can('collaboration:issue:read')))
  const issues = data?.map(({ _key, title, issue_type_name }, at) => (
    <Fragment key={_key}>
      {at > 0 && '; '}
      <Go to={`/issue/${encodeURIComponent(_key)}`}>{title ?? issue_type_name ?? t('home.issues.untitled')}</Go>
    </Fragment>
  ))
  const title = issues?.length ? rich('panel.critical.named', { issues: <>{issues}</> }) : t('panel.critical.title')
  return (
    <Notice tone="critical" icon="critical" title={<>{title}.</>}>
      {t('panel.critical.text')}
    </Notice>
  )
}

/** Begins on the line of its title, as most notes are short. */
export function NoteText({ text }: { text: string }) {
  return (
    <Folded text={text} most={1_200}>
      {(shown) => <span className="pn-note">{linesOf(shown).join('\n')}</span>}
    </Folded>
  )
}

function notesOf({ job }: Work): string[] {
  const all = [job.notes, job.order_notes, job.phase_notes, job.product_notes]
  return [...new Set(all.filter((note): note is string => note !== null && note.trim() !== ''))]
}

/** What somebody has to know before they go on. */
export function Notices({ flow: { work, silent } }: { flow: Flow }) {
  const t = useText()
  const notes = notesOf(work)
  const waiting = work.pending.length
  return (
    <div className="pn-notices">
      {!work.online && (
        <Notice tone="waiting" icon="waiting" title={`${t('panel.offline.title')}.`}>
          {t('panel.offline.text')} {waiting > 0 && <b>{t('panel.offline.count', { count: waiting })}</b>}
        </Notice>
      )}
      <Refused work={work} />
      {work.online && !silent && work.refused.map((entry) => <Held key={entry.key} entry={entry} />)}
      {work.job.active &&
        (work.mine || work.supervisor) &&
        work.others.map((one) => <MarkedByOther key={one.author.key} work={work} others={one} />)}
      {work.job.critical && <Critical jobKey={work.job._key} />}
      {notes.map((note) => (
        <Notice key={note} tone="todo" icon="info" title={`${t('panel.notes.title')}:`}>
          <NoteText text={note} />
        </Notice>
      ))}
    </div>
  )
}
