import type { Formats, Text } from '@/i18n'
import { Code } from '@/ui/Code'
import type { Column } from '@/ui/DataTable'
import { Go } from '@/ui/Go'
import { Icon } from '@/ui/icons'
import { Moment } from '@/ui/Moment'
import { StatusMark } from '@/ui/StatusMark'
import { wordOf } from '@/ui/states'
import { traceOf } from '../explore/address'
import { awayAt, customersOf, detailOf, isInside, partnerParts, placeOf, type RecalledUnit, sinceOf } from './groups'

type Codes = ReadonlyMap<string, { code: string | null; product?: string }> | undefined

/** Its code; of a unit that has none, and of a batch, what it is. */
export function unitName(t: Text, unit: RecalledUnit): string {
  const product = unit.product_code
  return unit.unit_type === 'batch'
    ? t('serial.batch', { product })
    : (unit.serial_code ?? t('serial.uncoded', { product }))
}

/** What it lies in, if it lies in something. */
export function outerName(t: Text, unit: RecalledUnit): string | null {
  if (!isInside(unit)) return null
  const product = unit.root_product_code
  return unit.root_batch_key === null
    ? (unit.root_serial_code ?? t('serial.uncoded', { product }))
    : t('serial.batch', { product })
}

/** How many units each customer has: Bergrad AG 8 · Nordkette Bikes 7. */
export function customerWords(
  t: Text,
  formats: Formats,
  units: readonly RecalledUnit[],
  most = Number.POSITIVE_INFINITY,
) {
  const customers = customersOf(units)
  const rest = customers.slice(most).length
  return [
    ...customers
      .slice(0, most)
      .map(({ name, count }) => `${name ?? t('trace.recall.customer.none')} ${formats.number(count)}`),
    ...(rest > 0 ? [t('trace.recall.customer.more', { count: rest })] : []),
  ].join(' · ')
}

/** A suspect by its code. */
export function suspectName(t: Text, known: { code: string | null; product?: string } | undefined): string {
  if (known?.code != null) return known.code
  return known?.product ? t('serial.uncoded', { product: known.product }) : t('trace.unnamed')
}

/** The codes of the suspects in a unit, as far as they are known. */
export function suspectNames(t: Text, unit: RecalledUnit, codes: Codes): string {
  if (codes === undefined || codes.size === 0) return ''
  const known = unit.via.slice(0, 3).map((key) => suspectName(t, codes.get(key)))
  const rest = unit.via_count - known.length
  return known.join(', ') + (rest > 0 ? ` ${t('trace.recall.more', { count: rest })}` : '')
}

/** The columns of the list; on a narrow page without what is least needed to find a unit. */
export function recallColumns(t: Text, codes: Codes, withInside: boolean, narrow = false): Column<RecalledUnit>[] {
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
    {
      id: 'detail',
      head: t('trace.recall.col.detail'),
      text: (unit) => detailOf(t, unit),
      cell: (unit) => <Detail unit={unit} t={t} />,
      width: narrow ? undefined : 210,
      least: 186,
      wrap: true,
      sortable: true,
    },
    {
      id: 'since',
      head: t('trace.recall.col.since'),
      text: sinceOf,
      cell: (unit) => sinceOf(unit) !== null && <Moment at={sinceOf(unit)} as="date" />,
      width: 100,
      sortable: true,
      optional: narrow,
    },
    {
      id: 'unit',
      head: t('trace.recall.col.unit'),
      text: (unit) => unitName(t, unit),
      cell: (unit) => (unit.serial_code === null ? unitName(t, unit) : <Code bare>{unit.serial_code}</Code>),
      width: 92,
      fixed: true,
      sortable: true,
    },
    {
      id: 'product',
      head: t('trace.table.product'),
      text: (unit) => unit.product_code,
      cell: (unit) => (
        <>
          <Code bare>{unit.product_code}</Code>
          {!narrow && <span className="tw-recall-about"> {unit.product_description}</span>}
        </>
      ),
      width: narrow ? 84 : undefined,
      least: 168,
      sortable: true,
    },
    {
      id: 'description',
      head: t('trace.table.description'),
      text: (unit) => unit.product_description,
      width: 220,
      wrap: true,
      optional: true,
    },
    {
      id: 'inside',
      head: t('trace.recall.col.inside'),
      text: (unit) => outerName(t, unit),
      cell: (unit) =>
        unit.root_serial_code === null
          ? outerName(t, unit)
          : isInside(unit) && <Code bare>{unit.root_serial_code}</Code>,
      width: 108,
      sortable: true,
      optional: !withInside,
    },
    {
      id: 'order',
      head: t('trace.recall.col.order'),
      text: (unit) => unit.wo_code,
      cell: (unit) => unit.wo_code !== null && <Code bare>{unit.wo_code}</Code>,
      width: 84,
      sortable: true,
      optional: narrow,
    },
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
      width: 100,
      wrap: true,
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
      width: 56,
    },
  ]
}

/** The number of a document stays on one line. */
function Detail({ unit, t }: { unit: RecalledUnit; t: Text }) {
  const away = awayAt(unit)
  if (away !== null) return t('trace.recall.with', away)
  const [partner, document] = placeOf(unit) === 'shipped' ? partnerParts(unit) : []
  if (partner === undefined || document === undefined) {
    const detail = detailOf(t, unit)
    return unit.location.position_code !== null && detail === unit.location.position_code ? (
      <Code bare>{detail}</Code>
    ) : (
      detail
    )
  }
  return (
    <>
      {partner} · <span className="tw-recall-document">{document}</span>
    </>
  )
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
