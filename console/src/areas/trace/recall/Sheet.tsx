import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { useFormats, useText } from '@/i18n'
import { PrintSheet } from '@/ui/PrintSheet'
import { wordOf } from '@/ui/states'
import { customerWords, outerName, suspectNames, unitName } from './columns'
import { type SuspectCodes, suspectsOf } from './file'
import { detailOf, type Group, groupsOf, sinceOf, unitId } from './groups'
import { affectedWords } from './Head'
import { codesQuery, type Recall } from './queries'
import type { SuspectsState } from './use-suspects'

/** Whether the page is being printed: a long list is only built then. */
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false)
  useEffect(() => {
    const before = () => flushSync(() => setPrinting(true))
    const after = () => setPrinting(false)
    window.addEventListener('beforeprint', before)
    window.addEventListener('afterprint', after)
    return () => {
      window.removeEventListener('beforeprint', before)
      window.removeEventListener('afterprint', after)
    }
  }, [])
  return printing
}

interface SheetProps {
  readonly recall: Recall
  readonly suspects: SuspectsState
}

export function RecallSheet(props: SheetProps) {
  return usePrinting() ? <RecallPaper {...props} /> : null
}

/** The recall list on paper: every unit, by where it is, with a box to tick. */
export function RecallPaper({ recall, suspects }: SheetProps) {
  const t = useText()
  const formats = useFormats()
  // They have to be there already: what is printed waits for nothing.
  const { data: suspectCodes } = useQuery(codesQuery(suspectsOf(recall.units), false))
  const { keys, named, words, missing } = suspects
  const codes = named.map(({ code, product }) => `${code} ${product}`.trim())
  const more = keys.length > named.length ? [t('trace.recall.more', { count: keys.length - named.length })] : []
  const what = [...(words === null ? [] : [words]), ...codes, ...more].join(', ')
  return (
    <PrintSheet title={t('pages.recall')} subtitle={affectedWords(t, recall)}>
      <p>{t('trace.recall.answered', { time: formats.dateTime(recall.answered) })}</p>
      <p>{t('trace.recall.sheet.suspects', { what })}</p>
      {missing.length > 0 && (
        <p>
          {t('trace.recall.paste.unknown', { count: missing.length })} {missing.join(', ')}
        </p>
      )}
      {recall.body.include_replaced && <p>{t('trace.recall.sheet.replaced')}</p>}
      {recall.body.rows === 'all' && <p>{t('trace.recall.sheet.rows')}</p>}
      {groupsOf(recall.units).map((group) => (
        <SheetGroup key={group.place} group={group} codes={suspectCodes} />
      ))}
    </PrintSheet>
  )
}

function SheetGroup({ group, codes }: { group: Group; codes: SuspectCodes | undefined }) {
  const t = useText()
  const words = t as unknown as (key: string) => string
  const formats = useFormats()
  return (
    <section className="tw-recall-sheet">
      <h2>
        {words(wordOf('place', group.place))} <span>{formats.number(group.units.length)}</span>
      </h2>
      {group.place === 'shipped' && <p>{customerWords(t, formats, group.units)}</p>}
      <table>
        <thead>
          <tr>
            <th scope="col">{t('trace.recall.col.unit')}</th>
            <th scope="col">{t('trace.table.product')}</th>
            <th scope="col">{t('trace.recall.col.detail')}</th>
            <th scope="col">{t('trace.recall.col.since')}</th>
            <th scope="col">{t('trace.recall.col.order')}</th>
            <th scope="col">{t('trace.recall.col.which')}</th>
            <th scope="col">{t('trace.recall.col.found')}</th>
          </tr>
        </thead>
        <tbody>
          {group.units.map((unit) => {
            const since = sinceOf(unit)
            const outer = outerName(t, unit)
            return (
              <tr key={unitId(unit)}>
                <td className="tw-code">
                  {unitName(t, unit)}
                  {outer !== null && ` (${outer})`}
                </td>
                <td>
                  {unit.product_code} {unit.product_description}
                </td>
                <td>{detailOf(t, unit)}</td>
                <td className="tw-recall-short">{since !== null && formats.date(since)}</td>
                <td className="tw-recall-short">{unit.wo_code}</td>
                <td className="tw-code">{suspectNames(t, unit, codes) || unit.via_count}</td>
                <td>☐</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
