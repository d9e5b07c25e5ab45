import { useQuery } from '@tanstack/react-query'
import { api, bare, type Schemas } from '@/api'
import { useRich, useText } from '@/i18n'
import { useLive } from '@/live'
import { type Fact, Facts } from '@/ui/Facts'
import { LoadFailed } from '@/ui/LoadFailed'
import { Moment } from '@/ui/Moment'
import { PageSkeleton } from '@/ui/Skeletons'
import { StatusMark } from '@/ui/StatusMark'
import { ofIssue } from './about'
import { Form } from './Form'
import { ThingHead } from './head'
import type { GlanceProps } from './index'
import { IssueTasks } from './issue-tasks'
import { Links } from './Links'
import { usePeople } from './people'
import { Words } from './Words'

type Issue = Schemas['Issue']

/** Whether it is open, and whether it holds up what it is about. */
function Marks({ issue: { open, critical } }: { issue: Issue }) {
  return (
    <>
      <StatusMark of="issue" state={open ? 'open' : 'closed'} look="tag" />
      {open && critical && <StatusMark of="issue" state="critical" look="tag" />}
    </>
  )
}

function Standing({ issue: { open, critical, created, closed } }: { issue: Issue }) {
  const rich = useRich()
  if (!open) return rich(critical ? 'thing.issue.wasCritical' : 'thing.issue.closed', { time: <Moment at={closed} /> })
  return rich(critical ? 'thing.issue.critical' : 'thing.issue.open', { time: <Moment at={created} /> })
}

export function IssueGlance({ of: key, head: Head = ThingHead }: GlanceProps) {
  const t = useText()
  const nameOf = usePeople()
  const query = useQuery({
    queryKey: ['issue', 'glance', key],
    queryFn: ({ signal }) => bare(api.GET('/issue/{issue_key}', { params: { path: { issue_key: key } }, signal })),
  })
  useLive(['issue'])
  if (query.data === undefined) {
    return query.isError ? <LoadFailed error={query.error} onRetry={query.refetch} /> : <PageSkeleton />
  }
  const issue = query.data
  const facts: Fact[] = [
    { label: t('thing.fact.type'), value: issue.issue_type_name },
    { label: t('thing.fact.by'), value: nameOf(issue.created_by) },
    { label: t('thing.fact.opened'), value: <Moment at={issue.created} as="dateTime" /> },
    { label: t('thing.fact.phase'), value: issue.phase_alias },
    { label: t('thing.fact.changed'), value: issue.updated !== null && <Moment at={issue.updated} as="dateTime" /> },
    { label: t('thing.fact.closed'), value: issue.closed !== null && <Moment at={issue.closed} as="dateTime" /> },
    { label: t('thing.fact.closedBy'), value: nameOf(issue.closed_by) },
  ]
  return (
    <>
      <Head
        title={issue.title ?? issue.issue_type_name ?? t('search.thing.issue')}
        trail={t('search.thing.issue')}
        mark={<Marks issue={issue} />}
        answer={<Standing issue={issue} />}
      />
      <Facts facts={facts} look="line" />
      <Words text={issue.description} />
      <Links title={t('thing.about')} links={issue.linked_to} things={ofIssue(issue.links)} />
      <IssueTasks of={key} open={issue.open} />
      <Form fields={issue.data} open={issue.open} />
    </>
  )
}
