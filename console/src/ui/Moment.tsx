import { useEffect, useReducer } from 'react'
import { useFormats } from '@/i18n'
import { relativeLasts } from '@/i18n/formats'
import { dueDay, taskDay } from './days'

interface MomentProps {
  /** A time as the API gives it, or a bare date; null shows a dash. */
  readonly at: string | null | undefined
  /** `relative` (3 minutes ago), `date` or `time` of day; the exact time is always there on hover. */
  readonly as?: 'relative' | 'date' | 'dateTime' | 'time'
}

/** A point in time. */
export function Moment({ at, as = 'relative' }: MomentProps) {
  const formats = useFormats()
  useTicking(as === 'relative' ? at : undefined)
  if (at === null || at === undefined) return <span className="tw-none">–</span>
  return (
    <time dateTime={at} title={formats.exact(at)} style={{ whiteSpace: 'nowrap' }}>
      {formats[as](at)}
    </time>
  )
}

/** When something is due: a date, if it was given as a day. */
export function Due({ at }: { at: string | null | undefined }) {
  return <DueOn at={at} day={at && dueDay(at)} />
}

/** The same of a task. */
export function TaskDue({ at }: { at: string | null | undefined }) {
  return <DueOn at={at} day={at && taskDay(at)} />
}

function DueOn({ at, day }: Record<'at' | 'day', string | null | undefined>) {
  return <Moment at={day} as={day === at ? 'relative' : 'date'} />
}

/** Renders again when a relative time would read otherwise. */
function useTicking(at: string | null | undefined) {
  const [, tick] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    if (at === null || at === undefined) return
    const timer = setInterval(tick, relativeLasts(at))
    return () => clearInterval(timer)
  }, [at])
}
