import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { saveFile } from '@/api'
import { type Text, useFormats, useText } from '@/i18n'
import { useSession } from '@/session'
import { failureWords } from '@/ui/failure-words'
import { Icon } from '@/ui/icons'
import { PageHead } from '@/ui/PageHead'
import { PrintButton } from '@/ui/PrintSheet'
import { csvName, toCsv } from '@/ui/table/csv'
import { fileColumns, suspectsOf } from './file'
import { countsOf, suspectCount } from './groups'
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
              {t('trace.recall.answered', { time: formats.dateTime(recall.answered) })}
            </Button>
            {recall.units.length > 0 && <Lists recall={recall} />}
          </>
        )
      }
    />
  )
}

/** How many units somebody has to look for, and how many were scrapped; each counted once, as on the page and in the file. */
export function affectedWords(t: Text, { units, body }: Recall): string {
  const { affected, scrapped } = countsOf(units)
  if (affected === 0) return t('trace.recall.answer.onlyScrapped', { count: scrapped })
  const count = t(body.rows === 'all' ? 'trace.recall.answer.all' : 'trace.recall.answer', { count: affected })
  return scrapped === 0 ? count : `${count} ${t('trace.recall.answer.scrapped', { count: scrapped })}`
}

function Answer({ recall }: { recall: Recall }) {
  const t = useText()
  if (recall.units.length === 0) return t('trace.recall.answer.none')
  const suspects = suspectCount(recall.units, recall.body)
  return (
    <>
      <b className="tw-recall-answer">{affectedWords(t, recall)}</b>{' '}
      {suspects !== undefined && t('trace.recall.answer.by', { count: suspects })}
    </>
  )
}

/** The list on paper and as a file: every unit, with the codes of the suspects in it. */
function Lists({ recall }: { recall: Recall }) {
  const t = useText()
  const formats = useFormats()
  const { can } = useSession()
  const client = useQueryClient()
  const [busy, setBusy] = useState<'print' | 'download'>()
  const [fault, setFault] = useState<string>()
  const named = can('serial:read')
  const codes = () => codesQuery(suspectsOf(recall.units), named)
  const make = async (what: 'print' | 'download', act: () => Promise<void>) => {
    setBusy(what)
    setFault(undefined)
    try {
      await act()
    } catch (error) {
      setFault(t(`trace.recall.${what}.failed`, { message: failureWords(t, error) }))
    } finally {
      setBusy(undefined)
    }
  }
  const print = async () => {
    if (named) await client.ensureQueryData(codes())
    window.print()
  }
  const download = async () => {
    const csv = toCsv(fileColumns(t, formats, named ? await client.fetchQuery(codes()) : null), recall.units)
    saveFile(new Blob([csv], { type: 'text/csv;charset=utf-8' }), csvName(t('trace.recall.file')))
  }
  return (
    <>
      <PrintButton loading={busy === 'print'} onClick={() => void make('print', print)} />
      <Button
        leftSection={<Icon name="download" size={14} />}
        loading={busy === 'download'}
        onClick={() => void make('download', download)}
      >
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
