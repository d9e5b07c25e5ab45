import { ActionIcon, Menu } from '@mantine/core'
import { useState } from 'react'
import { useFormats, useText } from '@/i18n'
import { fullName, useSession } from '@/session'
import { Confirm } from '@/ui/Confirm'
import { useGo } from '@/ui/Go'
import { Icon } from '@/ui/icons'
import { Reauth } from '@/ui/Reauth'
import { type Act, closeJobs, sendEvent } from '../mutations'
import type { Job } from '../orders'
import type { Sending } from '../sending'
import { refuseCancelBatch, refuseCloseJob, refusePause, refuseReset, refuseSplit } from './allowed'
import { ReasonItem } from './reason-item'
import { SplitDialog } from './split-dialog'

type Deed = 'pause' | 'cancelBatch' | 'close' | 'reset'

function run(sending: Sending, job: Job, deed: Deed): Promise<unknown> {
  const job_key = job._key
  if (deed === 'pause') return sendEvent(sending, { event_type: 'JOB_PAUSE_FORCED', job_key })
  if (deed === 'cancelBatch') return sendEvent(sending, { event_type: 'BATCH_CANCELED', job_key })
  if (deed === 'reset') return sendEvent(sending, { event_type: 'JOB_RESET', job_key })
  return closeJobs(sending, [job_key])
}

/** What may be done to a job: an operator opens it in the panel, a supervisor corrects it. */
export function JobMenu({ job, act }: { job: Job; act: Act }) {
  const t = useText()
  const { can } = useSession()
  const go = useGo()
  const [asked, setAsked] = useState<Deed | null>(null)
  const [splitting, setSplitting] = useState(false)
  const may = can('production:job:update')
  const events = can('traceability:event:create')
  const close = () => setAsked(null)
  const confirm = async () => {
    if (asked === null) return
    close()
    await act((sending) => run(sending, job, asked))
  }
  if (!may && !events) return null
  return (
    <>
      <Menu>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={t('production.job.menu', { phase: job.phase_alias })}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {events && (
            <Menu.Item
              leftSection={<Icon name="panel" />}
              onClick={() => go(`/panel/job/${encodeURIComponent(job._key)}`)}
            >
              {t('production.job.panel')}
            </Menu.Item>
          )}
          {may && <Supervising job={job} events={events} onAsk={setAsked} onSplit={() => setSplitting(true)} />}
        </Menu.Dropdown>
      </Menu>
      <JobConfirm job={job} asked={asked} onClose={close} onConfirm={confirm} />
      {splitting && <SplitDialog job={job} onClose={() => setSplitting(false)} />}
    </>
  )
}

interface SupervisingProps {
  readonly job: Job
  readonly events: boolean
  readonly onAsk: (deed: Deed) => void
  readonly onSplit: () => void
}

/** The entries for those who plan. */
function Supervising({ job, events, onAsk, onSplit }: SupervisingProps) {
  const t = useText()
  return (
    <>
      <ReasonItem icon={<Icon name="plus" />} refusal={refuseSplit(job)} onClick={onSplit}>
        {t('production.job.split')}
      </ReasonItem>
      {events && (
        <>
          <ReasonItem icon={<Icon name="pause" />} refusal={refusePause(job)} onClick={() => onAsk('pause')}>
            {t('production.job.pause')}
          </ReasonItem>
          <ReasonItem icon={<Icon name="undo" />} refusal={refuseCancelBatch(job)} onClick={() => onAsk('cancelBatch')}>
            {t('production.job.cancelBatch')}
          </ReasonItem>
        </>
      )}
      <ReasonItem icon={<Icon name="check" />} refusal={refuseCloseJob(job)} onClick={() => onAsk('close')}>
        {t('production.job.close')}
      </ReasonItem>
      {events && (
        <ReasonItem icon={<Icon name="reload" />} refusal={refuseReset(job)} danger onClick={() => onAsk('reset')}>
          {t('production.job.reset')}
        </ReasonItem>
      )}
    </>
  )
}

interface JobConfirmProps {
  readonly job: Job
  readonly asked: Deed | null
  readonly onClose: () => void
  readonly onConfirm: () => Promise<void>
}

/** Asks before a deed; a reset takes back what people did, so it asks for the password. */
function JobConfirm({ job, asked, onClose, onConfirm }: JobConfirmProps) {
  const t = useText()
  const session = useSession()
  const words = useWords(job)
  if (asked === 'reset') {
    return (
      <Reauth
        opened
        onClose={onClose}
        userKey={session.user_key}
        name={fullName(session)}
        action={t('production.job.reset')}
        onVerified={onConfirm}
      >
        <p>{words.reset}</p>
      </Reauth>
    )
  }
  if (asked === null) return null
  return (
    <Confirm
      opened
      onClose={onClose}
      title={t(`production.job.${asked}`)}
      action={t(`production.job.${asked}`)}
      danger={asked !== 'pause'}
      onConfirm={onConfirm}
    >
      <p>{words[asked]}</p>
    </Confirm>
  )
}

function useWords(job: Job): Record<Deed, string> {
  const t = useText()
  const formats = useFormats()
  const phase = job.phase_alias
  return {
    pause: t('production.job.pause.text', { phase, name: fullName(job.assigned_user ?? {}) }),
    cancelBatch: t('production.job.cancelBatch.text', { phase, quantity: formats.decimal(job.active_batch_qt) }),
    close: t('production.job.close.text', {
      phase,
      done: formats.decimal(job.qt_completed),
      total: formats.decimal(job.qt_planned),
    }),
    reset: t('production.job.reset.text', { phase }),
  }
}
