import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '@/api'
import { useRich, useText } from '@/i18n'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { Go } from '@/ui/Go'
import { LoadFailed } from '@/ui/LoadFailed'
import { LongText } from '@/ui/LongText'
import { Moment } from '@/ui/Moment'
import { Section } from '@/ui/Section'
import { StatusMark } from '@/ui/StatusMark'
import { issueState } from '@/ui/states'
import type { Order } from '../orders'
import { issuesQuery } from '../queries'

type Issue = Schemas['Issue']

/** Open ones first, critical ones before the others. */
export function byUrgency(issues: readonly Issue[]): Issue[] {
  const rank = (issue: Issue) => (issue.open ? (issue.critical ? 0 : 1) : 2)
  return issues.toSorted((a, b) => rank(a) - rank(b) || b.created.localeCompare(a.created))
}

/** What somebody has to look after. Nothing is shown where there is nothing. */
export function Issues({ order }: { order: Order }) {
  const t = useText()
  const { can } = useSession()
  const query = useQuery({ ...issuesQuery(order._key), enabled: can('collaboration:issue:read') })
  if (query.isError) {
    return (
      <Section title={t('production.issue.title')}>
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      </Section>
    )
  }
  if (query.data === undefined || query.data.length === 0) return null
  return (
    <Section title={t('production.issue.title')} count={query.data.length}>
      <ul className="tw-wo-issues">
        {byUrgency(query.data).map((issue) => (
          <IssueLine key={issue._key} issue={issue} />
        ))}
      </ul>
    </Section>
  )
}

function IssueLine({ issue }: { issue: Issue }) {
  const t = useText()
  const rich = useRich()
  return (
    <li data-open={issue.open || undefined}>
      <StatusMark of="issue" state={issueState(issue)} />
      <div>
        <b>
          <Go to={`/issue/${encodeURIComponent(issue._key)}`}>
            {issue.title ?? issue.issue_type_name ?? t('production.issue.untitled')}
          </Go>
        </b>
        {issue.description && <LongText text={issue.description} />}
        <div className="tw-wo-issue-facts">
          {issue.issue_type_name && <span>{issue.issue_type_name}</span>}
          {issue.phase_alias && <span>{issue.phase_alias}</span>}
          <Moment at={issue.created} />
          {issue.closed && <span>{rich('production.issue.closed', { time: <Moment at={issue.closed} /> })}</span>}
          {issue.linked_to
            .filter(({ type, code }) => type === 'serial' && code !== null)
            .map(({ key, code }) => (
              <Code key={key} bare to={`/serial/${encodeURIComponent(key)}`}>
                {code ?? ''}
              </Code>
            ))}
        </div>
      </div>
    </li>
  )
}
