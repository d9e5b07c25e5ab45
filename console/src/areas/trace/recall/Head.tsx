import { Button } from '@mantine/core'
import { useState } from 'react'
import { downloadFile, failureOf } from '@/api'
import { useFormats, useText } from '@/i18n'
import { Icon } from '@/ui/icons'
import { PageHead } from '@/ui/PageHead'
import { PrintButton } from '@/ui/PrintSheet'
import { csvName } from '@/ui/table/csv'
import { suspectCount } from './groups'
import type { Recall } from './queries'

interface RecallHeadProps {
  readonly recall: Recall | undefined
  readonly busy: boolean
  readonly onAgain: () => void
}

/** How many units are affected, and what to do with the list. */
export function RecallHead({ recall, busy, onAgain }: RecallHeadProps) {
  const t = useText()
  const formats = useFormats()
  return (
    <PageHead
      title={t('trace.recall.title')}
      answer={recall === undefined ? t('trace.recall.ask') : <Answer recall={recall} />}
      actions={
        recall && (
          <>
            <Button
              variant="subtle"
              color="gray"
              leftSection={<Icon name="reload" size={14} />}
              loading={busy}
              onClick={onAgain}
              title={t('trace.recall.refresh')}
            >
              {t('trace.recall.answered', { time: formats.time(recall.answered) })}
            </Button>
            {recall.units.length > 0 && <PrintButton />}
            {recall.units.length > 0 && <Download recall={recall} />}
          </>
        )
      }
    />
  )
}

function Answer({ recall }: { recall: Recall }) {
  const t = useText()
  const count = recall.units.length
  if (count === 0) return t('trace.recall.answer.none')
  const suspects = suspectCount(recall.units, recall.body)
  return (
    <>
      <b className="tw-recall-answer">{t('trace.recall.answer', { count })}</b>{' '}
      {suspects !== undefined && t('trace.recall.answer.by', { count: suspects })}
    </>
  )
}

/** The list as the service writes it: every unit, every column. */
function Download({ recall }: { recall: Recall }) {
  const t = useText()
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const run = async () => {
    setBusy(true)
    setFault(undefined)
    const { limit: _, offset: __, count: ___, ...body } = recall.body
    try {
      await downloadFile('/trace/recall', csvName(t('trace.recall.file')), {
        method: 'POST',
        headers: { Accept: 'text/csv', 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
    } catch (error) {
      setFault(t('trace.recall.download.failed', { message: failureOf(error).message }))
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Button leftSection={<Icon name="download" size={14} />} loading={busy} onClick={run}>
        {t('trace.recall.download')}
      </Button>
      {fault !== undefined && (
        <p className="tw-recall-fault" role="alert">
          {fault}
        </p>
      )}
    </>
  )
}
