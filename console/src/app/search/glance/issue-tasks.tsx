import { useQuery } from '@tanstack/react-query'
import { api, bare, type Schemas } from '@/api'
import { useText } from '@/i18n'
import { useLive } from '@/live'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { Go } from '@/ui/Go'
import { Icon } from '@/ui/icons'
import { LoadFailed } from '@/ui/LoadFailed'
import { TaskDue } from '@/ui/Moment'
import { Section } from '@/ui/Section'
import { StatusMark } from '@/ui/StatusMark'
import { pageOf } from '../kinds'
import { usePeople } from './people'
import { Row, Rows } from './Rows'

/** What is being done about an issue. */
export function IssueTasks({ of: issue, open }: { of: string; open: boolean }) {
  const t = useText()
  const { can } = useSession()
  const query = useQuery({
    queryKey: ['task', 'of-issue', issue],
    queryFn: ({ signal }) => bare(api.GET('/task', { params: { query: { issue_key: issue, limit: 100 } }, signal })),
    enabled: can('collaboration:task:read'),
  })
  useLive(['task'])
  if (query.isError) return <LoadFailed error={query.error} onRetry={query.refetch} />
  const tasks = query.data
  if (tasks === undefined || (tasks.length === 0 && !open)) return null
  return (
    <Section title={t('thing.tasks')} count={tasks.length > 0 ? tasks.length : undefined}>
      {tasks.length === 0 && <p className="tw-glance-none">{t('thing.tasks.none')}</p>}
      <Rows>
        {tasks.map((task) => (
          <TaskRow key={task._key} task={task} />
        ))}
      </Rows>
    </Section>
  )
}

function TaskRow({ task }: { task: Schemas['Task'] }) {
  const t = useText()
  const nameOf = usePeople()
  const to = pageOf('task', task._key)
  const owner = nameOf(task.owner_key)
  const isDue = task.due_by !== null && (task.status === 'open' || task.status === 'pending')
  return (
    <Row
      icon={<Icon name="task" />}
      first={
        <Code bare to={to}>
          {task.code}
        </Code>
      }
      end={<StatusMark of="task" state={task.status} />}
    >
      {task.title !== null && <Go to={to}>{task.title}</Go>}
      <span className="tw-glance-about">
        {owner}
        {owner && isDue && ' · '}
        {isDue && (
          <>
            {t('thing.tasks.due')} <TaskDue at={task.due_by} />
          </>
        )}
      </span>
    </Row>
  )
}
