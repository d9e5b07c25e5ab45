import { useMemo } from 'react'
import { type Text, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { type Column, DataTable } from '@/ui/DataTable'
import { Empty } from '@/ui/Empty'
import { Quantity } from '@/ui/Quantity'
import { ProductState } from '../marks'
import type { PartProps } from '../part'
import { fetchParents, type Parent } from '../queries'
import { productPage } from '../tabs'

/** Quantities are those of the product itself, in its unit. */
function columnsOf(t: Text, unit: string): Column<Parent>[] {
  return [
    {
      id: 'level',
      head: t('product.used.level'),
      text: (row) => row.level,
      cell: (row) => <Quantity value={row.level} />,
      numeric: true,
      width: 64,
    },
    {
      id: 'code',
      head: t('product.col.code'),
      text: (row) => row.product_code,
      cell: (row) => (
        <Code bare to={productPage(row.product_key, 'bom')}>
          {row.product_code}
        </Code>
      ),
      width: 120,
      fixed: true,
    },
    { id: 'description', head: t('product.col.description'), text: (row) => row.product_description },
    {
      id: 'state',
      head: t('product.col.state'),
      text: (row) => (row.active ? t('product.state.active') : t('product.state.inactive')),
      cell: (row) => <ProductState product={row} />,
      width: 104,
    },
    {
      id: 'direct',
      head: t('product.used.direct'),
      text: (row) => row.qt_direct,
      cell: (row) => <Quantity value={row.qt_direct} unit={unit} />,
      numeric: true,
      width: 136,
    },
    {
      id: 'total',
      head: t('product.used.total'),
      text: (row) => row.qt_total,
      cell: (row) => <Quantity value={row.qt_total} unit={unit} />,
      numeric: true,
      width: 150,
    },
  ]
}

const rowKey = (row: Parent) => row.product_key
const pageOfRow = (row: Parent) => productPage(row.product_key, 'bom')

/** What it is built into, from the nearest to the farthest. */
export function WhereUsedTab({ product }: PartProps) {
  const t = useText()
  const columns = useMemo(() => columnsOf(t, product.unit), [t, product.unit])
  const source = useMemo(
    () => ({
      queryKey: ['product', product._key, 'where-used'] as const,
      fetchPage: fetchParents(product._key),
    }),
    [product._key],
  )
  return (
    <DataTable
      name="where-used"
      label={t('product.used.label', { code: product.code })}
      columns={columns}
      rowKey={rowKey}
      source={source}
      to={pageOfRow}
      empty={
        <Empty icon="product" title={t('product.used.none')}>
          {t('product.used.none.text', { code: product.code })}
        </Empty>
      }
    />
  )
}
