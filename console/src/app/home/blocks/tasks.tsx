import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '@/api'
import { serviceNow } from '@/clock'
import { useText } from '@/i18n'
import { useLive } from '@/live'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { isOverdue } from '@/ui/days'
import { TaskDue } from '@/ui/Moment'
import { StatusMark, ToneMark } from '@/ui/StatusMark'
import { Block, Calm, Rest, ROWS, Row, Rows } from '../Block'
import { tasksQuery } from '../queries'

type Task = Schemas['Task']

function TaskRow({ task }: { task: Task }) {
  const t = useText()
  const late = task.status === 'open' && isOverdue(task.due_by, serviceNow())
  return (
    <Row
      to={`/task/${encodeURIComponent(task._key)}`}
      title={task.title ?? task.task_type_name ?? task.code}
      about={
        <>
          <Code bare>{task.code}</Code>
          {task.task_type_name && ` · ${task.task_type_name}`}
        </>
      }
      end={
        <span className="tw-home-due">
          {late && (
            <ToneMark tone="critical" icon="late">
              {t('home.tasks.overdue')}
            </ToneMark>
          )}
          {task.status === 'pending' && <StatusMark of="task" state="pending" />}
          {task.due_by && (
            <span className="tw-home-about">
              {t('home.due')} <TaskDue at={task.due_by} />
            </span>
          )}
        </span>
      }
    />
  )
}

/** What I have been asked to do. */
export function TasksBlock() {
  const t = useText()
  const { user_key } = useSession()
  const query = useQuery(tasksQuery(user_key))
  useLive(['task'])
  const total = query.data?.total ?? query.data?.rows.length
  return (
    <Block name="tasks" title={t('home.tasks.title')} count={total} query={query}>
      {({ rows }) =>
        rows.length === 0 ? (
          <Calm>{t('home.tasks.none')}</Calm>
        ) : (
          <>
            <Rows>
              {rows.slice(0, ROWS).map((task) => (
                <TaskRow key={task._key} task={task} />
              ))}
            </Rows>
            {(total ?? 0) > ROWS && <Rest>{t('home.further', { count: (total ?? 0) - ROWS })}</Rest>}
          </>
        )
      }
    </Block>
  )
}
