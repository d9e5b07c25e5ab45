import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { saveFile } from '@/api'
import { useFormats, useText } from '@/i18n'
import { useSession } from '@/session'
import { failureWords } from '@/ui/failure-words'
import { Icon } from '@/ui/icons'
import { PageHead } from '@/ui/PageHead'
import { PrintButton } from '@/ui/PrintSheet'
import { csvName, toCsv } from '@/ui/table/csv'
import { fileColumns, suspectsOf } from './file'
import { suspectCount } from './groups'
import { codesQuery, type Recall } from './queries'

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
      title={t('pages.recall')}
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

/** The list as a file: every unit, with the codes of the suspects in it. */
function Download({ recall }: { recall: Recall }) {
  const t = useText()
  const formats = useFormats()
  const { can } = useSession()
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<string>()
  const run = async () => {
    setBusy(true)
    setFault(undefined)
    try {
      const codes = can('serial:read') ? await client.fetchQuery(codesQuery(suspectsOf(recall.units), true)) : null
      const csv = toCsv(fileColumns(t, formats, codes), recall.units)
      saveFile(new Blob([csv], { type: 'text/csv;charset=utf-8' }), csvName(t('trace.recall.file')))
    } catch (error) {
      setFault(t('trace.recall.download.failed', { message: failureWords(t, error) }))
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
