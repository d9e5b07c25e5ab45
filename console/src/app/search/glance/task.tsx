import { useQuery } from '@tanstack/react-query'
import { api, bare, type Schemas } from '@/api'
import { serviceNow } from '@/clock'
import { useFormats, useText } from '@/i18n'
import { useLive } from '@/live'
import { Code } from '@/ui/Code'
import { isOverdue } from '@/ui/days'
import { type Fact, Facts } from '@/ui/Facts'
import { LoadFailed } from '@/ui/LoadFailed'
import { Moment, TaskDue } from '@/ui/Moment'
import { PageSkeleton } from '@/ui/Skeletons'
import { StatusMark, ToneMark } from '@/ui/StatusMark'
import { ofTask } from './about'
import { Form } from './Form'
import { ThingHead } from './head'
import type { GlanceProps } from './index'
import { Links } from './Links'
import { usePeople } from './people'
import { Words } from './Words'

/** Who answers for it, and who helps. */
function useAssigned(): (task: Schemas['TaskFull']) => Fact[] {
  const t = useText()
  const nameOf = usePeople()
  return ({ owner_key, assigned_to }) => {
    const others = [...new Set(assigned_to.map(({ user_key }) => user_key))].filter((key) => key !== owner_key)
    if (owner_key === null && others.length === 0) {
      return [{ label: t('thing.fact.assigned'), value: t('thing.fact.nobody') }]
    }
    const names = others.flatMap((key) => nameOf(key) ?? []).join(', ')
    const owner = nameOf(owner_key)
    return [
      { label: t('thing.fact.owner'), value: owner },
      { label: owner === undefined ? t('thing.fact.assigned') : t('thing.fact.people'), value: names !== '' && names },
    ]
  }
}

export function TaskGlance({ of: key, head: Head = ThingHead }: GlanceProps) {
  const t = useText()
  const formats = useFormats()
  const nameOf = usePeople()
  const assigned = useAssigned()
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
  const doneAt = task.status === 'completed' && task.due_by !== null ? task.closed : null
  const doneLate = doneAt !== null && isOverdue(task.due_by, Date.parse(doneAt))
  const spent = task.time_spent.reduce((sum, { duration }) => sum + duration, 0)
  const facts: Fact[] = [
    { label: t('thing.fact.code'), value: <Code>{task.code}</Code> },
    { label: t('thing.fact.type'), value: task.task_type_name },
    { label: t('thing.fact.due'), value: task.due_by !== null && <TaskDue at={task.due_by} /> },
    { label: t('thing.fact.start'), value: task.start_from !== null && <TaskDue at={task.start_from} /> },
    ...assigned(task),
    { label: t('thing.fact.created'), value: <Moment at={task.created} as="dateTime" /> },
    { label: t('thing.fact.createdBy'), value: nameOf(task.created_by) },
    { label: t('thing.fact.spent'), value: spent > 0 && formats.duration(spent) },
    { label: t('thing.fact.closed'), value: task.closed !== null && <Moment at={task.closed} as="dateTime" /> },
    { label: t('thing.fact.closedBy'), value: nameOf(task.closed_by) },
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
            {doneAt !== null && (
              <span className="tw-glance-about">{t(doneLate ? 'thing.task.late' : 'thing.task.onTime')}</span>
            )}
          </>
        }
      />
      <Facts facts={facts} look="line" />
      <Words text={task.description} />
      <Links title={t('thing.about')} links={task.links} things={ofTask(task.links)} />
      <Form fields={task.form_fields} open={task.status === 'open' || task.status === 'pending'} />
    </>
  )
}
