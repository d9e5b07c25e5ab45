import { useQuery } from '@tanstack/react-query'
import { api, bare, type Schemas } from '@/api'
import { ratio } from '@/api/decimal'
import { CountMark } from '@/app/home/blocks/counts'
import { useFormats, useText } from '@/i18n'
import { useLive } from '@/live'
import { Code } from '@/ui/Code'
import { Empty } from '@/ui/Empty'
import { type Fact, Facts } from '@/ui/Facts'
import { Icon } from '@/ui/icons'
import { LoadFailed } from '@/ui/LoadFailed'
import { Moment } from '@/ui/Moment'
import { PageHead } from '@/ui/PageHead'
import { Progress } from '@/ui/Progress'
import { Section } from '@/ui/Section'
import { PageSkeleton } from '@/ui/Skeletons'
import { pageOf } from '../kinds'
import type { GlanceProps } from './index'
import { usePeople } from './people'

type Count = Schemas['CountSessionFull']

function Assignments({ count }: { count: Count }) {
  const t = useText()
  const nameOf = usePeople()
  const rows = Object.entries(count.assignments).flatMap(([user, targets]) =>
    targets.map((target) => ({ ...target, who: nameOf(user) ?? t('search.count.nobody') })),
  )
  if (rows.length === 0) return <Empty icon="person" title={t('search.count.free')} />
  return (
    <ul className="tw-glance-list">
      {rows.map(({ target_key, target_data, status, who }) => (
        <li key={`${who}/${target_key}`}>
          <Icon name={count.type === 'position' ? 'position' : 'product'} />
          <Code to={pageOf(count.type, target_key)}>{target_data.code}</Code>
          <span className="tw-glance-about">{who}</span>
          <span>{t(`search.count.${status}`)}</span>
        </li>
      ))}
    </ul>
  )
}

export function CountGlance({ of: key, head: Head = PageHead }: GlanceProps) {
  const t = useText()
  const formats = useFormats()
  const query = useQuery({
    queryKey: ['inventory', 'count', key],
    queryFn: ({ signal }) => {
      const params = { path: { session_key: key } }
      return bare(api.GET('/inventory/count-session/{session_key}', { params, signal }))
    },
  })
  useLive(['inventory'])
  if (query.data === undefined) {
    return query.isError ? <LoadFailed error={query.error} onRetry={query.refetch} /> : <PageSkeleton />
  }
  const count = query.data
  const covered = count.coverage_percentage
  const facts: Fact[] = [
    {
      label: t('search.count.coverage'),
      value: covered !== null && (
        <span className="tw-progress">
          <Progress done={covered} total={100} label={t('search.count.coverage')} bare />
          {formats.share(ratio(covered, 100))}
        </span>
      ),
    },
    { label: t('search.count.begun'), value: count.started !== null && <Moment at={count.started} /> },
    { label: t('search.count.ends'), value: count.scheduled_end !== null && <Moment at={count.scheduled_end} /> },
    { label: t('search.count.blind'), value: count.blind_quantities && t('ui.yes') },
  ]
  return (
    <>
      <Head
        title={count.code}
        shown={<Code>{count.code}</Code>}
        trail={t('search.thing.count')}
        mark={<CountMark status={count.status} />}
        answer={count.description}
      />
      <Facts facts={facts} look="line" />
      {count.notes && <p className="tw-glance-text">{count.notes}</p>}
      <Section title={t('search.count.who')}>
        <Assignments count={count} />
      </Section>
    </>
  )
}
