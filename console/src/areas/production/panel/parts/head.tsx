import { useRef, useState } from 'react'
import { useFormats, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { dueDay } from '@/ui/days'
import { Go } from '@/ui/Go'
import { Icon } from '@/ui/icons'
import { ShowAll } from '@/ui/LongText'
import { StatusMark, ToneMark } from '@/ui/StatusMark'
import { jobState } from '@/ui/states'
import { useCut } from '@/ui/use-cut'
import { JobProgress } from '../../job-progress'
import { isLate } from '../../orders'
import type { Job } from '../model'
import type { Work } from '../use-work'
import { Timer } from './timer'

/** What is being worked on, how far it is, and how long it takes. */
export function Head({ work }: { work: Work }) {
  const t = useText()
  const formats = useFormats()
  const { job } = work
  return (
    <header className="pn-head">
      <Go to="/panel" className="pn-back" aria-label={t('panel.back')} title={t('panel.back')}>
        <Icon name="left" size={26} />
      </Go>
      <div className="pn-what">
        <p className="pn-order">
          <Code bare>{job.wo_code}</Code>
          <span>{job.phase_alias}</span>
          <StatusMark of="job" state={jobState(job)} look="tag" />
          {isLate(job) && (
            <ToneMark tone="critical" icon="late" look="tag">
              {t('ui.state.late')}
            </ToneMark>
          )}
        </p>
        <Product job={job} />
      </div>
      <div className="pn-far">
        <JobProgress job={job} />
        {job.due_by && <span>{t('panel.queue.due', { date: formats.date(dueDay(job.due_by)) })}</span>}
      </div>
      <Timer work={work} />
    </header>
  )
}

/** Two lines of it, and all where it is longer and somebody asks. */
function Product({ job }: { job: Job }) {
  const line = useRef<HTMLParagraphElement>(null)
  const [open, setOpen] = useState(false)
  const cut = useCut(line, open)
  return (
    <>
      <p ref={line} className="pn-product" data-open={open || undefined}>
        <Code bare>{job.product_code}</Code> {job.product_description}
      </p>
      {cut && <ShowAll open={open} onToggle={() => setOpen(!open)} />}
    </>
  )
}
