import { Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { clock } from '@/clock'
import { useText } from '@/i18n'
import { useScanner } from '@/scan'
import { Icon } from '@/ui/icons'
import { issueCreated } from '../logic/events'
import type { IssueType } from '../model'
import { issueTypesQuery } from '../queries'
import type { Flow } from '../use-flow'
import { useSend } from '../use-send'
import { Dialog } from './dialog'

interface Props {
  readonly flow: Flow
  readonly opened: boolean
  readonly onClose: () => void
}

export function IssueDialog({ flow, opened, onClose }: Props) {
  const t = useText()
  // Known before the line is lost.
  useQuery(issueTypesQuery)
  return (
    <Dialog opened={opened} onClose={onClose} title={t('panel.issue.title')}>
      {opened && <IssueForm flow={flow} onClose={onClose} />}
    </Dialog>
  )
}

/** One tap on the kind of issue reports it; words may be added before. */
function IssueForm({ flow, onClose }: Omit<Props, 'opened'>) {
  const t = useText()
  const { signal } = useScanner()
  const { work, bench } = flow
  const [note, setNote] = useState('')
  const send = useSend(work.job._key)
  const types = useQuery(issueTypesQuery)
  const report = async (type: IssueType | null) => {
    const name = type?.name ?? t('panel.issue.plain')
    const title = note.trim() === '' ? `${name}: ${work.job.wo_code}, ${work.job.phase_alias}` : note.trim()
    const unitKey = work.units?.length === 1 ? (work.units[0]?.serial_key ?? null) : work.units ? bench.inHand : null
    const at = clock.stamp(work.job._key)
    const event = issueCreated({ typeKey: type?._key ?? null, title, note, job: work.job, unitKey }, at)
    onClose()
    if (!work.online) signal({ tone: 'neutral', text: t('panel.issue.kept', { name }) })
    const done = await send(event, t('panel.sent.issue', { name }), { apart: 'always' })
    if (done) signal({ tone: 'good', text: t('panel.issue.done', { name }) })
  }
  return (
    <>
      <Textarea
        label={t('panel.issue.note')}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        maxLength={10_000}
        rows={2}
      />
      <fieldset>
        <legend>{t('panel.issue.type')}</legend>
        <div className="pn-tiles">
          {types.data?.map((type) => (
            <button
              type="button"
              key={type._key}
              data-critical={type.critical || undefined}
              onClick={() => report(type)}
            >
              {type.critical && <Icon name="critical" size={22} />}
              <span>
                {type.name}
                {type.critical && <small>{t('panel.issue.critical')}</small>}
              </span>
            </button>
          ))}
          <button type="button" onClick={() => report(null)}>
            {t('panel.issue.plain')}
          </button>
        </div>
      </fieldset>
    </>
  )
}
