import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useReducer } from 'react'
import { serviceNow } from '@/clock'
import { useText } from '@/i18n'
import { useSession } from '@/session'
import { isOverdue } from '@/ui/days'
import { Bar } from '@/ui/Skeletons'
import { lagging } from './pace'
import { countsQuery, issuesQuery, ordersQuery, queueQuery, tasksQuery } from './queries'
import { countBands } from './queue'
import type { BlockName } from './roles'

interface Piece {
  readonly block: BlockName
  readonly text: string
  readonly critical?: boolean
}

/** What is to be said of each block that has something to say; undefined while some of it is unknown. */
function usePieces(blocks: readonly BlockName[]): Piece[] | undefined {
  const t = useText()
  const { user_key } = useSession()
  const has = (block: BlockName) => ({ enabled: blocks.includes(block) })
  const queue = useQuery({ ...queueQuery(user_key), ...has('queue') })
  const tasks = useQuery({ ...tasksQuery(user_key), ...has('tasks') })
  const issues = useQuery({ ...issuesQuery, ...has('issues') })
  const orders = useQuery({ ...ordersQuery, ...has('orders') })
  const counts = useQuery({ ...countsQuery, ...has('counts') })
  const now = serviceNow()
  const pieces: Piece[] = []
  const say = (block: BlockName, count: number, text: string, critical = false) => {
    if (count > 0) pieces.push({ block, text, critical })
  }
  const states = { queue, tasks, issues, orders, counts, records: undefined }
  if (blocks.some((block) => states[block]?.isPending)) return undefined
  for (const block of blocks) {
    if (block === 'queue' && queue.data) {
      const { running, ready } = countBands(queue.data, new Date(now))
      say('queue', running, t('home.head.running', { count: running }))
      say('queue', ready, t('home.head.ready', { count: ready }))
    }
    if (block === 'issues' && issues.data) {
      const count = issues.data.total ?? issues.data.rows.length
      say('issues', count, t('home.head.issues', { count }), true)
    }
    if (block === 'orders' && orders.data) {
      const found = lagging(orders.data.rows, new Date(now))
      const late = found.filter(({ lag }) => lag.kind === 'late').length
      say('orders', late, t('home.head.late', { count: late }), true)
      say('orders', found.length - late, t('home.head.atRisk', { count: found.length - late }))
    }
    if (block === 'tasks' && tasks.data) {
      const open = tasks.data.rows.filter(({ status }) => status === 'open')
      const over = open.filter(({ due_by }) => isOverdue(due_by, now)).length
      say('tasks', over, t('home.head.overdue', { count: over }), true)
      say('tasks', open.length - over, t('home.head.tasks', { count: open.length - over }))
    }
    if (block === 'counts' && counts.data) {
      say('counts', counts.data.length, t('home.head.counts', { count: counts.data.length }))
    }
  }
  return pieces
}

/** The day in one sentence: each part leads to its block. */
export function Headline({ blocks }: { blocks: readonly BlockName[] }): ReactNode {
  const t = useText()
  const pieces = usePieces(blocks)
  useMinutes()
  if (pieces === undefined) return <Bar width="26rem" />
  if (pieces.length === 0) return t('home.head.calm')
  return (
    <span className="tw-home-headline">
      {pieces.map(({ block, text, critical }) => (
        <span key={text}>
          <a href={`#home-${block}`} data-critical={critical || undefined}>
            {text}
          </a>
        </span>
      ))}
    </span>
  )
}

/** What is late changes by itself. */
function useMinutes(): void {
  const [, tick] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const timer = setInterval(tick, 60_000)
    return () => clearInterval(timer)
  }, [])
}
