import { useQuery } from '@tanstack/react-query'
import { api, bare, type Schemas } from '@/api'
import { ratio } from '@/api/decimal'
import { CountMark } from '@/app/home/count-mark'
import { useFormats, useText } from '@/i18n'
import { useLive } from '@/live'
import { Code } from '@/ui/Code'
import { Empty } from '@/ui/Empty'
import { type Fact, Facts } from '@/ui/Facts'
import { Icon } from '@/ui/icons'
import { LoadFailed } from '@/ui/LoadFailed'
import { Moment } from '@/ui/Moment'
import { Progress } from '@/ui/Progress'
import { Section } from '@/ui/Section'
import { PageSkeleton } from '@/ui/Skeletons'
import { ToneMark } from '@/ui/StatusMark'
import type { StateLook } from '@/ui/states'
import { pageOf } from '../kinds'
import { ThingHead } from './head'
import type { GlanceProps } from './index'
import { usePeople } from './people'
import { Row, Rows } from './Rows'
import { Words } from './Words'

type Count = Schemas['CountSessionFull']
type Share = Schemas['AssignedTarget']

const SHARES: Readonly<Record<Share['status'], StateLook>> = {
  planned: { tone: 'todo', icon: 'todo' },
  started: { tone: 'running', icon: 'running' },
  completed: { tone: 'done', icon: 'done' },
  canceled: { tone: 'scrapped', icon: 'deleted' },
}

function Assignments({ count }: { count: Count }) {
  const t = useText()
  const nameOf = usePeople()
  const rows = Object.entries(count.assignments).flatMap(([user, targets]) =>
    targets.map((target) => ({ ...target, user })),
  )
  if (rows.length === 0) return <Empty icon="person" title={t('thing.count.free')} />
  return (
    <Rows>
      {rows.map(({ user, target_key, target_data, status, include_children }) => (
        <Row
          key={`${user}/${target_key}`}
          icon={<Icon name={count.type === 'position' ? 'position' : 'product'} />}
          first={
            <>
              <Code bare to={pageOf(count.type, target_key)}>
                {target_data.code}
              </Code>
              {include_children && count.type === 'position' && (
                <span className="tw-glance-about"> {t('thing.count.inside')}</span>
              )}
            </>
          }
          end={<ToneMark {...SHARES[status]}>{t(`thing.count.${status}`)}</ToneMark>}
        >
          {nameOf(user) ?? t('thing.count.nobody')}
          {target_data.description && <span className="tw-glance-about"> {target_data.description}</span>}
        </Row>
      ))}
    </Rows>
  )
}

/** What those who count don't see. */
function hiddenIn({ blind_quantities, blind_serials }: Count): 'both' | 'quantities' | 'serials' | null {
  if (blind_quantities && blind_serials) return 'both'
  if (blind_quantities) return 'quantities'
  return blind_serials ? 'serials' : null
}

export function CountGlance({ of: key, head: Head = ThingHead }: GlanceProps) {
  const t = useText()
  const formats = useFormats()
  const nameOf = usePeople()
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
  const hidden = hiddenIn(count)
  const at = (moment: string | null) => moment !== null && <Moment at={moment} as="dateTime" />
  const facts: Fact[] = [
    {
      label: t('thing.count.coverage'),
      value: covered !== null && (
        <span className="tw-progress">
          <Progress done={covered} total={100} label={t('thing.count.coverage')} bare />
          {formats.share(ratio(covered, 100))}
        </span>
      ),
    },
    { label: t('thing.count.what'), value: t(`thing.count.what.${count.type}`) },
    { label: t('thing.count.from'), value: at(count.started === null ? count.scheduled_start : null) },
    { label: t('thing.count.begun'), value: at(count.started) },
    { label: t('thing.count.until'), value: at(count.completed === null ? count.scheduled_end : null) },
    { label: t('thing.count.ended'), value: at(count.completed) },
    { label: t('thing.count.applied'), value: at(count.applied) },
    { label: t('thing.fact.createdBy'), value: nameOf(count.created_by) },
    { label: t('thing.count.hidden'), value: hidden && t(`thing.count.hidden.${hidden}`) },
  ]
  return (
    <>
      <Head
        title={count.code}
        shown={<Code>{count.code}</Code>}
        trail={t('search.thing.count')}
        mark={<CountMark status={count.status} look="tag" />}
        answer={count.description}
      />
      <Facts facts={facts} look="line" />
      <Words title={t('thing.count.notes')} text={count.notes} />
      <Section title={t('thing.count.who')}>
        <Assignments count={count} />
      </Section>
    </>
  )
}
