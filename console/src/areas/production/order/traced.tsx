import { useMemo } from 'react'
import { type Formats, type Text, useFormats, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { type Column, DataTable } from '@/ui/DataTable'
import { Moment } from '@/ui/Moment'
import { Quantity } from '@/ui/Quantity'
import type { Order } from '../orders'
import { usePeople } from '../people'
import { tracedRows } from '../queries'
import { TableSection } from './table-section'
import { fieldColumns, type TracedRow, type ValueWords, valueIn, valuesLine } from './values'

type NameOf = ReturnType<typeof usePeople>['nameOf']

function wordsFor(t: Text, formats: Formats): { shown: ValueWords; exported: ValueWords } {
  const words = { yes: t('ui.yes'), no: t('ui.no') }
  return {
    shown: { ...words, number: (value) => formats.decimal(value), date: (value) => formats.date(value) },
    exported: { ...words, number: String, date: (value) => value },
  }
}

/** Wide enough for the longest of these texts, within reason; in pixels. */
export function widthFor(texts: readonly string[]): number {
  const longest = Math.max(0, ...texts.map((text) => text.length))
  return Math.min(Math.max(Math.round(24 + longest * 6.8), 120), 300)
}

function columnsOf(t: Text, formats: Formats, order: Order, nameOf: NameOf): Column<TracedRow>[] {
  const { shown, exported } = wordsFor(t, formats)
  const traced = order.traceability_level !== null
  return [
    { id: 'phase', head: t('production.trace.phase'), text: (row) => row.phase_alias, width: 120, fixed: true },
    {
      id: 'step',
      head: t('production.trace.step'),
      text: (row) => row.step_title,
      cell: (row) => <span title={row.step_title ?? undefined}>{row.step_title}</span>,
      width: widthFor(order.jobs.flatMap((job) => job.step_sequence.map(({ title }) => title))),
    },
    {
      id: 'unit',
      head: t('production.trace.unit'),
      text: (row) => row.serial_code,
      cell: (row) => <Unit row={row} />,
      width: 108,
      optional: !traced,
    },
    {
      id: 'quantity',
      head: t('production.trace.quantity'),
      text: (row) => row.batch_qt,
      cell: (row) => <Quantity value={row.batch_qt} />,
      numeric: true,
      width: 80,
      optional: traced,
    },
    {
      id: 'values',
      head: t('production.trace.values'),
      text: (row) => valuesLine(row, exported),
      cell: (row) => {
        const line = valuesLine(row, shown)
        return <span title={line}>{line}</span>
      },
      least: 170,
    },
    {
      id: 'time',
      head: t('production.trace.time'),
      text: (row) => row.timestamp,
      cell: (row) =>
        row.timestamp === null ? (
          <span className="tw-wo-lines-soft">{t('production.trace.notDone')}</span>
        ) : (
          <Moment at={row.timestamp} as="dateTime" />
        ),
      width: 184,
    },
    {
      id: 'operator',
      head: t('production.trace.operator'),
      text: (row) => nameOf(row.operator_key) ?? row.operator_username,
      width: 128,
    },
    ...fieldColumns(order.jobs).map(({ id, label }) => ({
      id: `field ${id}`,
      head: label,
      text: (row: TracedRow) => valueIn(row, id, exported),
      cell: (row: TracedRow) => valueIn(row, id, shown),
      optional: true,
    })),
  ]
}

function Unit({ row }: { row: TracedRow }) {
  if (row.serial_key === null) return <span className="tw-none">–</span>
  return (
    <Code bare to={`/serial/${encodeURIComponent(row.serial_key)}`}>
      {row.serial_code ?? '…'}
    </Code>
  )
}

/** Everything that was entered at the steps, by batch and unit, with a column for each field and an export. */
export function Traced({ order }: { order: Order }) {
  const t = useText()
  const formats = useFormats()
  const { nameOf } = usePeople()
  const columns = useMemo(() => columnsOf(t, formats, order, nameOf), [t, formats, order, nameOf])
  const source = useMemo(() => tracedRows(order._key), [order._key])
  return (
    <TableSection title={t('production.trace.title')}>
      {(heading) => (
        <DataTable
          name="traceability"
          file={`${order.wo_code}-traceability`}
          label={t('production.trace.label')}
          columns={columns}
          rowKey={(row) => `${row.batch_key} ${row.step_key} ${row.serial_key ?? ''}`}
          source={source}
          to={(row) => (row.serial_key === null ? undefined : `/serial/${encodeURIComponent(row.serial_key)}`)}
          height={420}
          empty={<p className="tw-wo-lines-none">{t('production.trace.empty')}</p>}
        >
          {heading}
        </DataTable>
      )}
    </TableSection>
  )
}
