import { useQuery } from '@tanstack/react-query'
import { api, bare } from '@/api'
import { useText } from '@/i18n'
import { useLive } from '@/live'
import { type Fact, Facts } from '@/ui/Facts'
import { LoadFailed } from '@/ui/LoadFailed'
import { Moment } from '@/ui/Moment'
import { PageHead } from '@/ui/PageHead'
import { Section } from '@/ui/Section'
import { PageSkeleton } from '@/ui/Skeletons'
import { StatusMark } from '@/ui/StatusMark'
import { issueState } from '@/ui/states'
import type { GlanceProps } from './index'
import { Links } from './Links'
import { usePeople } from './people'
import { useValueFacts } from './value-facts'

export function IssueGlance({ of: key, head: Head = PageHead }: GlanceProps) {
  const t = useText()
  const nameOf = usePeople()
  const valueFacts = useValueFacts()
  const query = useQuery({
    queryKey: ['issue', 'glance', key],
    queryFn: ({ signal }) => bare(api.GET('/issue/{issue_key}', { params: { path: { issue_key: key } }, signal })),
  })
  useLive(['issue'])
  if (query.data === undefined) {
    return query.isError ? <LoadFailed error={query.error} onRetry={query.refetch} /> : <PageSkeleton />
  }
  const issue = query.data
  const values = valueFacts(issue.data)
  const facts: Fact[] = [
    { label: t('search.fact.type'), value: issue.issue_type_name },
    { label: t('search.fact.opened'), value: <Moment at={issue.created} /> },
    { label: t('search.fact.by'), value: nameOf(issue.created_by) },
    { label: t('search.fact.phase'), value: issue.phase_alias },
    { label: t('search.fact.closed'), value: issue.closed !== null && <Moment at={issue.closed} /> },
    { label: t('search.fact.closedBy'), value: nameOf(issue.closed_by) },
  ]
  return (
    <>
      <Head
        title={issue.title ?? issue.issue_type_name ?? t('search.thing.issue')}
        trail={t('search.thing.issue')}
        mark={<StatusMark of="issue" state={issueState(issue)} look="tag" />}
      />
      <Facts facts={facts} look="line" />
      {issue.description && <p className="tw-glance-text">{issue.description}</p>}
      <Links title={t('search.about')} links={issue.linked_to} />
      {values.length > 0 && (
        <Section title={t('search.values')}>
          <Facts facts={values} />
        </Section>
      )}
    </>
  )
}
