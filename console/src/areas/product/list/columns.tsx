import { useMediaQuery } from '@mantine/hooks'
import { useMemo } from 'react'
import { Money } from '@/areas/production/order/money'
import { type Text, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import type { Column } from '@/ui/DataTable'
import { Moment } from '@/ui/Moment'
import { Quantity } from '@/ui/Quantity'
import { ProductState, Tags, TraceMark } from '../marks'
import type { Product } from '../queries'
import { productPage } from '../tabs'

/** The room decides which columns are shown at first; anybody may choose others. */
function columnsOf(t: Text, wide: boolean, narrow: boolean): Column<Product>[] {
  const yesNo = (value: boolean) => (value ? t('ui.yes') : t('ui.no'))
  return [
    {
      id: 'code',
      head: t('product.col.code'),
      text: (row) => row.code,
      cell: (row) => (
        <Code bare to={productPage(row._key)}>
          {row.code}
        </Code>
      ),
      width: 110,
      fixed: true,
    },
    {
      id: 'description',
      wrap: true,
      head: t('product.col.description'),
      text: (row) => row.description,
      cell: (row) => (
        <>
          {row.description}
          {!row.active && (
            <span className="tw-product-inactive">
              <ProductState product={row} />
            </span>
          )}
        </>
      ),
    },
    {
      id: 'state',
      head: t('product.col.state'),
      text: (row) => (row.active ? t('product.state.active') : t('product.state.inactive')),
      cell: (row) => <ProductState product={row} />,
      width: 120,
      optional: true,
    },
    {
      id: 'trace',
      head: t('product.col.trace'),
      text: (row) => t(`product.trace.${row.traceability_level ?? 'none'}`),
      cell: (row) => <TraceMark level={row.traceability_level} />,
      width: 145,
    },
    {
      id: 'tags',
      head: t('product.col.tags'),
      text: (row) => row.tags.map(({ name }) => name).join('|'),
      cell: (row) => <Tags tags={row.tags} />,
      width: 286,
    },
    {
      id: 'phases',
      head: t('product.col.phases'),
      text: (row) => row.process_phases.length,
      cell: (row) => <Count value={row.process_phases.length} />,
      numeric: true,
      width: 75,
      optional: !wide,
    },
    {
      id: 'bom',
      head: t('product.col.bom'),
      text: (row) => (row.bom_version === 0 ? null : row.bom_version),
      cell: (row) => <Count value={row.bom_version} />,
      numeric: true,
      width: 100,
      optional: !wide,
    },
    {
      id: 'unit',
      head: t('product.col.unit'),
      text: (row) => row.unit,
      cell: (row) => row.unit || <span className="tw-product-pieces">{t('product.data.pieces')}</span>,
      width: 80,
      optional: narrow,
    },
    {
      id: 'average',
      head: t('product.col.costAverage'),
      text: (row) => row.cost.average,
      cell: (row) => <Money value={row.cost.average} />,
      numeric: true,
      width: 115,
      optional: !wide,
    },
    {
      id: 'target',
      head: t('product.col.costTarget'),
      text: (row) => row.cost.target,
      cell: (row) => <Money value={row.cost.target} />,
      numeric: true,
      width: 120,
      optional: true,
    },
    {
      id: 'minimum',
      head: t('product.col.minimum'),
      text: (row) => row.minimum_stock_qt,
      cell: (row) => <Quantity value={row.minimum_stock_qt} unit={row.unit} />,
      numeric: true,
      width: 130,
      optional: true,
    },
    {
      id: 'managed',
      head: t('product.col.stockKept'),
      text: (row) => yesNo(row.manage_inventory),
      width: 150,
      optional: true,
    },
    {
      id: 'updated',
      head: t('product.col.updated'),
      text: (row) => row.updated,
      cell: (row) => <Moment at={row.updated} />,
      width: 130,
      optional: true,
    },
  ]
}

function Count({ value }: { value: number }) {
  return value === 0 ? <span className="tw-none">–</span> : <Quantity value={value} />
}

export function useProductColumns(): Column<Product>[] {
  const t = useText()
  const wide = useMediaQuery('(min-width: 1300px)') ?? true
  const narrow = useMediaQuery('(max-width: 1100px)') ?? false
  return useMemo(() => columnsOf(t, wide, narrow), [t, wide, narrow])
}
