import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Schemas } from '@/api'
import type { Shippable } from '@/areas/trace/shipped'
import { type Text, useFormats, useText } from '@/i18n'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { type Column, DataTable } from '@/ui/DataTable'
import { Empty } from '@/ui/Empty'
import { Go } from '@/ui/Go'
import { Moment } from '@/ui/Moment'
import { StatusMark, ToneMark } from '@/ui/StatusMark'
import type { PartProps } from '../part'
import { fetchSerials, type Serial, serialCountQuery } from '../queries'
import { serialList } from './address'

type State = Schemas['SerialState']

const STATES: readonly State[] = ['uncoded', 'wip', 'released', 'in_stock', 'used', 'scrapped']

function columnsOf(t: Text): Column<Shippable<Serial>>[] {
  return [
    {
      id: 'code',
      head: t('product.serials.code'),
      text: (row) => row.code,
      cell: (row) =>
        row.code === null ? (
          <span className="tw-none">{t('product.serials.uncoded')}</span>
        ) : (
          <Code bare to={pageOfRow(row)}>
            {row.code}
          </Code>
        ),
      fixed: true,
    },
    {
      id: 'state',
      head: t('product.serials.state'),
      text: (row) => t(row.shipped ? 'ui.state.place.shipped' : `ui.state.serial.${row.state}`),
      cell: (row) =>
        row.shipped ? <StatusMark of="place" state="shipped" /> : <StatusMark of="serial" state={row.state} />,
      width: 190,
    },
    {
      id: 'order',
      head: t('product.serials.order'),
      text: (row) => row.wo_code,
      cell: (row) =>
        row.wo_code !== null && row.wo_key !== null ? (
          <Code bare to={`/order/${encodeURIComponent(row.wo_key)}`}>
            {row.wo_code}
          </Code>
        ) : (
          <span className="tw-none">–</span>
        ),
      width: 160,
    },
    {
      id: 'created',
      head: t('product.serials.created'),
      text: (row) => row.created,
      cell: (row) => <Moment at={row.created} />,
      width: 150,
    },
    {
      id: 'released',
      head: t('product.serials.released'),
      text: (row) => row.released,
      cell: (row) => <Moment at={row.released} />,
      width: 150,
    },
  ]
}

const rowKey = (row: Serial) => row._key
const pageOfRow = (row: Serial) => `/serial/${encodeURIComponent(row._key)}`

/** The units that exist: how many are in which state, and the newest of them. */
export function SerialsTab({ product }: PartProps) {
  const t = useText()
  const columns = useMemo(() => columnsOf(t), [t])
  const mayTrace = useSession().can('trace:read')
  const source = useMemo(
    () => ({
      queryKey: ['serial', 'of-product', product._key] as const,
      fetchPage: fetchSerials(product._key, mayTrace),
    }),
    [product._key, mayTrace],
  )
  return (
    <>
      <StateCounts product={product} />
      <DataTable
        name="product-serials"
        label={t('product.serials.label', { code: product.code })}
        columns={columns}
        rowKey={rowKey}
        source={source}
        to={pageOfRow}
        empty={<NoSerials product={product} />}
      >
        <Go to={serialList(product.code)}>{t('product.serials.list')}</Go>
      </DataTable>
    </>
  )
}

function NoSerials({ product }: PartProps) {
  const t = useText()
  if (product.traceability_level === null) {
    return (
      <Empty icon="serial" title={t('product.serials.untraced')}>
        {t('product.serials.untraced.text')}
      </Empty>
    )
  }
  return (
    <Empty icon="serial" title={t('product.serials.none')}>
      {t('product.serials.none.text')}
    </Empty>
  )
}

/** Released units that were shipped are still released to the service, so they are counted together. */
function StateCounts({ product }: PartProps) {
  const t = useText()
  const formats = useFormats()
  const counts = useQueries({ queries: STATES.map((state) => serialCountQuery(product._key, state)) })
  const found = STATES.map((state, at) => ({ state, count: counts[at]?.data ?? 0 })).filter(({ count }) => count > 0)
  if (found.length === 0) return null
  return (
    <ul className="tw-serial-states">
      {found.map(({ state, count }) => (
        <li key={state}>
          <Go to={serialList(product.code, state)}>
            <b>{formats.number(count)}</b>
            {state === 'released' ? (
              <ToneMark tone="done" icon="done">
                {t('product.serials.releasedOrShipped')}
              </ToneMark>
            ) : (
              <StatusMark of="serial" state={state} />
            )}
          </Go>
        </li>
      ))}
    </ul>
  )
}
