import { useQuery } from '@tanstack/react-query'
import { api, bare } from '@/api'
import { serviceNow } from '@/clock'
import { useText } from '@/i18n'
import { useLive } from '@/live'
import { Code } from '@/ui/Code'
import { isOverdue } from '@/ui/days'
import { type Fact, Facts } from '@/ui/Facts'
import { LoadFailed } from '@/ui/LoadFailed'
import { Moment, TaskDue } from '@/ui/Moment'
import { PageHead } from '@/ui/PageHead'
import { PageSkeleton } from '@/ui/Skeletons'
import { StatusMark, ToneMark } from '@/ui/StatusMark'
import type { GlanceProps } from './index'
import { Links } from './Links'
import { usePeople } from './people'

export function TaskGlance({ of: key, head: Head = PageHead }: GlanceProps) {
  const t = useText()
  const nameOf = usePeople()
  const query = useQuery({
    queryKey: ['task', 'glance', key],
    queryFn: ({ signal }) => bare(api.GET('/task/{task_key}', { params: { path: { task_key: key } }, signal })),
  })
  useLive(['task'])
  if (query.data === undefined) {
    return query.isError ? <LoadFailed error={query.error} onRetry={query.refetch} /> : <PageSkeleton />
  }
  const task = query.data
  const late = task.status === 'open' && isOverdue(task.due_by, serviceNow())
  const people = [...new Set(task.assigned_to.flatMap(({ user_key }) => nameOf(user_key) ?? []))]
  const facts: Fact[] = [
    { label: t('search.fact.code'), value: <Code>{task.code}</Code> },
    { label: t('search.fact.type'), value: task.task_type_name },
    { label: t('search.fact.due'), value: task.due_by !== null && <TaskDue at={task.due_by} /> },
    { label: t('search.fact.people'), value: people.length > 0 && people.join(', ') },
    { label: t('search.fact.created'), value: <Moment at={task.created} /> },
    { label: t('search.fact.closed'), value: task.closed !== null && <Moment at={task.closed} /> },
  ]
  return (
    <>
      <Head
        title={task.title ?? task.code}
        trail={t('search.thing.task')}
        mark={
          <>
            <StatusMark of="task" state={task.status} look="tag" />
            {late && (
              <ToneMark tone="critical" icon="late" look="tag">
                {t('ui.state.late')}
              </ToneMark>
            )}
          </>
        }
      />
      <Facts facts={facts} look="line" />
      {task.description && <p className="tw-glance-text">{task.description}</p>}
      <Links title={t('search.about')} links={task.links} />
    </>
  )
}
