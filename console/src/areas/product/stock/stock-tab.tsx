import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { compare } from '@/api/decimal'
import { type Text, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { type Column, DataTable } from '@/ui/DataTable'
import { Empty } from '@/ui/Empty'
import { type Fact, Facts } from '@/ui/Facts'
import { Moment } from '@/ui/Moment'
import { Quantity } from '@/ui/Quantity'
import { ToneMark } from '@/ui/StatusMark'
import type { PartProps } from '../part'
import { fetchStock, type StockRow, stockQuery } from '../queries'
import { Switch } from '../switch'
import { usePageSearch } from '../use-page-search'
import { wayTo } from './way'

function heldBy(t: Text, row: StockRow): string {
  return [row.counting && t('product.stock.counting'), row.locked && t('product.stock.locked')]
    .filter((word) => word !== false)
    .join(', ')
}

function columnsOf(t: Text): Column<StockRow>[] {
  return [
    {
      id: 'position',
      head: t('product.stock.position'),
      text: (row) => row.position_code,
      cell: (row) => (
        <>
          <Code bare>{row.position_code}</Code>
          <span className="tw-stock-way">{wayTo(row)}</span>
        </>
      ),
      fixed: true,
    },
    {
      id: 'serial',
      head: t('product.stock.serial'),
      text: (row) => row.serial_code,
      cell: (row) =>
        row.serial_key !== null && row.serial_code !== null ? (
          <Code bare to={`/serial/${encodeURIComponent(row.serial_key)}`}>
            {row.serial_code}
          </Code>
        ) : (
          <span className="tw-none">–</span>
        ),
      width: 140,
    },
    {
      id: 'quantity',
      head: t('product.stock.quantity'),
      text: (row) => row.quantity,
      cell: (row) => <Quantity value={row.quantity} unit={row.unit} />,
      numeric: true,
      width: 96,
    },
    {
      id: 'owner',
      head: t('product.stock.owner'),
      text: (row) => (row.owned ? t('product.stock.owned') : t('product.stock.foreign')),
      width: 104,
    },
    {
      id: 'held',
      head: t('product.stock.state'),
      text: (row) => heldBy(t, row),
      cell: (row) => {
        const by = heldBy(t, row)
        return by === '' ? (
          <span className="tw-none">–</span>
        ) : (
          <ToneMark tone="waiting" icon="lock">
            {by}
          </ToneMark>
        )
      },
      width: 130,
    },
    {
      id: 'counted',
      head: t('product.stock.counted'),
      text: (row) => row.last_counted,
      cell: (row) => <Moment at={row.last_counted} />,
      width: 116,
    },
  ]
}

const rowKey = (row: StockRow) => row._key
const unitOf = (row: StockRow) =>
  row.serial_key === null ? undefined : `/serial/${encodeURIComponent(row.serial_key)}`

/** How much there is, and where. */
export function StockTab({ product }: PartProps) {
  const t = useText()
  const [search, change] = usePageSearch()
  const place = search.place ?? 'in'
  const root = place === 'out' ? 'OUT' : 'IN'
  const columns = useMemo(() => columnsOf(t), [t])
  const source = useMemo(
    () => ({
      queryKey: ['inventory', 'product-rows', product._key, root] as const,
      fetchPage: fetchStock(product._key, root),
    }),
    [product._key, root],
  )
  return (
    <>
      <div className="tw-product-tools">
        <Switch
          label={t('product.stock.place')}
          options={[
            { value: 'in', label: t('product.stock.place.in') },
            { value: 'out', label: t('product.stock.place.out') },
          ]}
          value={place}
          onChange={(value) => change({ place: value === 'out' ? 'out' : undefined })}
        />
      </div>
      <Totals product={product} root={root} />
      <DataTable
        name="product-stock"
        label={t('product.stock.label', { code: product.code })}
        columns={columns}
        rowKey={rowKey}
        source={source}
        to={unitOf}
        empty={
          <Empty icon="stock" title={t(`product.stock.none.${place}`)}>
            {product.manage_inventory ? t('product.stock.none.text') : t('product.stock.unmanaged')}
          </Empty>
        }
      />
    </>
  )
}

function Totals({ product, root }: PartProps & { root: string }) {
  const t = useText()
  const { data } = useQuery(stockQuery(product._key, root))
  const minimum = root === 'IN' ? product.minimum_stock_qt : null
  const quantity = data === null ? 0 : data?.quantity
  const low = minimum !== null && quantity !== null && quantity !== undefined && compare(quantity, minimum) < 0
  if (data === undefined || (data === null && minimum === null)) return null
  const facts: Fact[] = [
    { label: t('product.stock.total'), value: <Quantity value={quantity} unit={product.unit} /> },
    {
      label: t('product.stock.minimum'),
      value: minimum !== null && (
        <span className="tw-stock-minimum">
          <Quantity value={minimum} unit={product.unit} />
          {low && (
            <ToneMark tone="waiting" icon="issue">
              {t('product.stock.low')}
            </ToneMark>
          )}
        </span>
      ),
    },
    { label: t('product.stock.positions'), value: data !== null && <Quantity value={data.positions} /> },
    {
      label: t('product.stock.serials'),
      value: data !== null && product.traceability_level !== null && <Quantity value={data.serials} />,
    },
  ]
  return <Facts look="line" facts={facts} />
}
