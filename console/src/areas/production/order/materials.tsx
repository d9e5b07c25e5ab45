import { useMemo } from 'react'
import { multiply } from '@/api/decimal'
import { TraceMark } from '@/areas/product/marks'
import { productPage } from '@/areas/product/tabs'
import { type Units, useUnits } from '@/areas/product/units'
import { type Text, useText } from '@/i18n'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { type Column, DataTable } from '@/ui/DataTable'
import { Quantity } from '@/ui/Quantity'
import type { Order } from '../orders'
import { TableSection } from './table-section'

type Line = Order['wo_bom'][number]

function columnsOf(t: Text, planned: string | number, units: Units, linked: boolean): Column<Line>[] {
  const total = (line: Line) => multiply(line.qt, planned)
  const unit = (line: Line) => units.get(line.component_key)
  return [
    {
      id: 'component',
      head: t('production.material.component'),
      text: (line) => line.component_code,
      cell: (line) => (
        <Code bare to={linked ? productPage(line.component_key) : undefined}>
          {line.component_code}
        </Code>
      ),
      width: 104,
      fixed: true,
      sortable: true,
    },
    {
      id: 'description',
      head: t('production.material.description'),
      text: (line) => line.component_description,
      cell: (line) => <span title={line.component_description ?? undefined}>{line.component_description}</span>,
      least: 150,
      sortable: true,
    },
    {
      id: 'total',
      head: t('production.material.total'),
      text: total,
      cell: (line) => <Quantity value={total(line)} unit={unit(line)} />,
      numeric: true,
      width: 104,
      sortable: true,
    },
    {
      id: 'each',
      head: t('production.material.each'),
      text: (line) => line.qt,
      cell: (line) => <Quantity value={line.qt} unit={unit(line)} />,
      numeric: true,
      width: 84,
    },
    { id: 'unit', head: t('product.col.unit'), text: (line) => unit(line) ?? '', width: 70, optional: true },
    {
      id: 'phase',
      head: t('production.material.phase'),
      text: (line) => line.phase_name,
      width: 124,
      wrap: true,
      sortable: true,
    },
    {
      id: 'traced',
      head: t('product.col.trace'),
      text: (line) => t(`product.trace.${line.traceability_level ?? 'none'}`),
      cell: (line) => <TraceMark level={line.traceability_level} />,
      width: 145,
    },
  ]
}

/** The units of what the order uses, by product, as far as the user may see them. */
export function useMaterialUnits({ wo_bom }: Order): Units {
  return useUnits(useMemo(() => wo_bom.map(({ component_key }) => component_key), [wo_bom]))
}

/** What the order uses. Later changes to the product do not touch it. */
export function Materials({ order }: { order: Order }) {
  const t = useText()
  const linked = useSession().can('product:catalogue:read')
  const units = useMaterialUnits(order)
  const columns = useMemo(() => columnsOf(t, order.qt_planned, units, linked), [t, order.qt_planned, units, linked])
  if (order.wo_bom.length === 0) return null
  return (
    <TableSection title={t('production.material.title')}>
      {(heading) => (
        <DataTable
          name="order-materials"
          label={t('production.material.title')}
          columns={columns}
          rows={order.wo_bom}
          rowKey={(line) => `${line.component_key} ${line.phase_key}`}
          {...(linked && { to: (line: Line) => productPage(line.component_key) })}
          height={320}
        >
          {heading}
        </DataTable>
      )}
    </TableSection>
  )
}
