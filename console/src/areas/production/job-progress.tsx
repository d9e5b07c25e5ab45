import { useFormats, useText } from '@/i18n'
import { Progress } from '@/ui/Progress'
import type { Job } from './orders'

type Counted = Pick<Job, 'wo_code' | 'phase_alias' | 'qt_completed' | 'qt_planned' | 'qt_scrap'>

/** How many have passed the phase of a job. Of an order it is counted how many are made: those that have passed its last phase. */
export function JobProgress({ job }: { job: Counted }) {
  const t = useText()
  const formats = useFormats()
  return (
    <Progress
      done={job.qt_completed}
      total={job.qt_planned}
      scrap={job.qt_scrap}
      label={t('marks.progress', { order: job.wo_code, phase: job.phase_alias })}
      words={t('marks.passed', { done: formats.decimal(job.qt_completed), total: formats.decimal(job.qt_planned) })}
    />
  )
}
