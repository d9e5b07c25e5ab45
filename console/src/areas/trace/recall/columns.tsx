import type { Text } from '@/i18n'
import { Code } from '@/ui/Code'
import type { Column } from '@/ui/DataTable'
import { Go } from '@/ui/Go'
import { Icon } from '@/ui/icons'
import { Moment } from '@/ui/Moment'
import { StatusMark } from '@/ui/StatusMark'
import { wordOf } from '@/ui/states'
import { traceOf } from '../explore/address'
import { isInside, partnerOf, placeOf, type RecalledUnit, sinceOf } from './groups'

type Codes = ReadonlyMap<string, { code: string | null }> | undefined

export function unitName(t: Text, unit: RecalledUnit): string {
  return unit.unit_type === 'batch' ? t('trace.batch') : (unit.serial_code ?? t('trace.unnamed'))
}

/** The position of a unit in stock, who has a shipped one, in what a built-in one is. */
export function detailOf(unit: RecalledUnit): string | null {
  return placeOf(unit) === 'shipped' ? (partnerOf(unit) ?? unit.location.position_code) : unit.location.position_code
}

/** The codes of the suspects in a unit, as far as they are known. */
export function suspectNames(t: Text, unit: RecalledUnit, codes: Codes): string {
  if (codes === undefined || codes.size === 0) return ''
  const known = unit.via.slice(0, 3).map((key) => codes.get(key)?.code ?? t('trace.unnamed'))
  const rest = unit.via_count - known.length
  return known.join(', ') + (rest > 0 ? ` ${t('trace.recall.more', { count: rest })}` : '')
}

export function recallColumns(t: Text, codes: Codes, withInside: boolean): Column<RecalledUnit>[] {
  const words = t as unknown as (key: string) => string
  return [
    {
      id: 'place',
      head: t('trace.recall.col.place'),
      text: (unit) => words(wordOf('place', placeOf(unit))),
      cell: (unit) => <StatusMark of="place" state={placeOf(unit)} />,
      width: 124,
      sortable: true,
    },
    { id: 'detail', head: t('trace.recall.col.detail'), text: detailOf, width: 196, sortable: true },
    {
      id: 'since',
      head: t('trace.recall.col.since'),
      text: sinceOf,
      cell: (unit) => sinceOf(unit) !== null && <Moment at={sinceOf(unit)} as="date" />,
      width: 128,
      sortable: true,
    },
    {
      id: 'unit',
      head: t('trace.recall.col.unit'),
      text: (unit) => unit.serial_code,
      cell: (unit) => (unit.serial_code === null ? unitName(t, unit) : <Code bare>{unit.serial_code}</Code>),
      width: 116,
      fixed: true,
      sortable: true,
    },
    { id: 'product', head: t('trace.table.product'), text: (unit) => unit.product_code, width: 88, sortable: true },
    { id: 'description', head: t('trace.table.description'), text: (unit) => unit.product_description },
    {
      id: 'inside',
      head: t('trace.recall.col.inside'),
      text: (unit) => (isInside(unit) ? (unit.root_serial_code ?? t('trace.batch')) : ''),
      cell: (unit) => isInside(unit) && <Code bare>{unit.root_serial_code ?? t('trace.batch')}</Code>,
      width: 130,
      sortable: true,
      optional: !withInside,
    },
    { id: 'order', head: t('trace.recall.col.order'), text: (unit) => unit.wo_code, width: 88, sortable: true },
    {
      id: 'project',
      head: t('trace.recall.col.project'),
      text: (unit) => unit.project_code,
      width: 110,
      sortable: true,
      optional: true,
    },
    {
      id: 'which',
      head: t('trace.recall.col.which'),
      text: (unit) => suspectNames(t, unit, codes),
      cell: (unit) => <span className="tw-code">{suspectNames(t, unit, codes)}</span>,
      width: 124,
      optional: codes === undefined,
    },
    {
      id: 'suspects',
      head: t('trace.recall.col.suspects'),
      text: (unit) => unit.via_count,
      numeric: true,
      width: 84,
      sortable: true,
      optional: codes !== undefined,
    },
    {
      id: 'depth',
      head: t('trace.recall.col.depth'),
      text: (unit) => unit.depth,
      numeric: true,
      width: 72,
      sortable: true,
      optional: true,
    },
    {
      id: 'trace',
      head: t('trace.recall.col.trace'),
      text: () => '',
      cell: (unit) => unit.serial_key !== null && <TraceLink unit={unit} t={t} />,
      width: 64,
    },
  ]
}

function TraceLink({ unit, t }: { unit: RecalledUnit; t: Text }) {
  return (
    <Go
      className="tw-recall-trace"
      to={traceOf(unit.serial_key ?? '')}
      aria-label={t('trace.recall.trace', { code: unitName(t, unit) })}
      title={t('trace.recall.trace', { code: unitName(t, unit) })}
    >
      <Icon name="trace" />
    </Go>
  )
}
