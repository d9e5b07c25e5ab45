import { useEffect, useState } from 'react'
import { multiply } from '@/api/decimal'
import { serviceNow } from '@/clock'
import { useFormats, useText } from '@/i18n'
import { formatClock } from '@/i18n/formats'
import type { Work } from '../use-work'
import { useSince } from './since'

/** How long the running work session has taken; beside the standard time, where the phase wants that shown. */
export function Timer({ work: { job, session } }: { work: Work }) {
  const t = useText()
  const formats = useFormats()
  const since = useSince()
  const [now, setNow] = useState(serviceNow)
  const running = job.active && session?.active === true
  useEffect(() => {
    if (!running) return
    const timer = setInterval(() => setNow(serviceNow()), 1000)
    return () => clearInterval(timer)
  }, [running])
  if (!running) return null
  const standard = Number(multiply(job.parameters.std_processing_time, job.active_batch_qt)) * 1000
  const took = Math.max(0, now - Date.parse(session.start))
  return (
    <div className="pn-timer" role="timer" aria-label={t('panel.timer.label')} title={formats.exact(session.start)}>
      <b>{formatClock(took)}</b>
      <span>
        {job.parameters.display_job_timer
          ? t('panel.timer.standard', { time: formatClock(standard) })
          : since('panel.timer.session', session.start)}
      </span>
    </div>
  )
}
