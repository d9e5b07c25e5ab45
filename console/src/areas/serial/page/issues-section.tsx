import { useQuery } from '@tanstack/react-query'
import { useText } from '@/i18n'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { Go } from '@/ui/Go'
import { LongText } from '@/ui/LongText'
import { Moment } from '@/ui/Moment'
import { Section } from '@/ui/Section'
import { StatusMark } from '@/ui/StatusMark'
import { issueState } from '@/ui/states'
import { unitAddress } from './address'
import { issuesThen, type UnitIssue } from './model/issues'
import { issuesQuery } from './queries'
import type { UnitView } from './view'

/** Issues about the unit, the units inside it and its order. */
export function IssuesSection({ view }: { view: UnitView }) {
  const t = useText()
  const { can } = useSession()
  const issues = issuesThen(view.record.data?.acceptance_records.issues ?? [], view.time)
  const keys = issues.map(({ issue_key }) => issue_key)
  const further = useQuery({ ...issuesQuery(keys), enabled: keys.length > 0 && can('collaboration:issue:read') })
  if (view.record.data === undefined) return null
  return (
    <div id="issues">
      <Section title={t('serial.issues.title')} count={issues.length > 0 ? issues.length : undefined}>
        {issues.length === 0 && <p className="tw-unit-later">{t('serial.issues.none')}</p>}
        <ul className="tw-unit-issues">
          {issues.map((issue) => (
            <IssueLine
              key={issue.issue_key}
              issue={issue}
              view={view}
              more={further.data?.find(({ _key }) => _key === issue.issue_key)}
            />
          ))}
        </ul>
      </Section>
    </div>
  )
}

interface More {
  readonly description: string | null
  readonly created_by: string
  readonly linked_to: readonly { readonly type: string; readonly key: string; readonly code?: string | null }[]
}

function IssueLine({ issue, more, view }: { issue: UnitIssue; more: More | undefined; view: UnitView }) {
  const t = useText()
  const { can } = useSession()
  const who = more && view.people?.get(more.created_by)
  const title = issue.title ?? issue.issue_type_name ?? t('serial.issues.untitled')
  const mayOpen = can('collaboration:issue:read')
  return (
    <li>
      <StatusMark of="issue" state={issueState(issue)} />
      <div>
        <p>
          <b>{mayOpen ? <Go to={`/issue/${encodeURIComponent(issue.issue_key)}`}>{title}</Go> : title}</b>
          {issue.title && issue.issue_type_name && <span className="tw-unit-later"> {issue.issue_type_name}</span>}
        </p>
        {more?.description && (
          <div className="tw-unit-later">
            <LongText text={more.description} />
          </div>
        )}
        {more && <About more={more} view={view} />}
      </div>
      <span className="tw-unit-part-when">
        <Moment at={issue.created} as="date" /> {who}
        {issue.closed && (
          <>
            {' '}
            → <Moment at={issue.closed} as="date" />
          </>
        )}
      </span>
    </li>
  )
}

/** What else it is about, besides this unit. */
function About({ more, view }: { more: More; view: UnitView }) {
  const t = useText()
  const links = more.linked_to.filter(({ type, key }) => ABOUT.has(type) && key !== view.serialKey)
  if (links.length === 0) return null
  return (
    <p className="tw-unit-about">
      {t('serial.issues.about')}{' '}
      {links.map(({ type, key, code }) => (
        <Code key={`${type} ${key}`} bare to={addressOf(type, key)}>
          {code ?? t('lack.aUnit')}
        </Code>
      ))}
    </p>
  )
}

const ABOUT = new Set(['serial', 'work_order', 'product'])

function addressOf(type: string, key: string): string {
  if (type === 'serial') return unitAddress(key)
  return type === 'product' ? `/product/${encodeURIComponent(key)}` : `/order/${encodeURIComponent(key)}`
}
