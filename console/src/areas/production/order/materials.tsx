import { useMemo } from 'react'
import { multiply } from '@/api/decimal'
import { type Text, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { type Column, DataTable } from '@/ui/DataTable'
import { Quantity } from '@/ui/Quantity'
import type { Order } from '../orders'
import { TableSection } from './table-section'

type Line = Order['wo_bom'][number]

function columnsOf(t: Text, planned: string | number): Column<Line>[] {
  const total = (line: Line) => multiply(line.qt, planned)
  return [
    {
      id: 'component',
      head: t('production.material.component'),
      text: (line) => line.component_code,
      cell: (line) => <Code bare>{line.component_code}</Code>,
      width: 116,
      fixed: true,
      sortable: true,
    },
    {
      id: 'description',
      head: t('production.material.description'),
      text: (line) => line.component_description,
      sortable: true,
    },
    { id: 'phase', head: t('production.material.phase'), text: (line) => line.phase_name, width: 130, sortable: true },
    {
      id: 'traced',
      head: t('production.material.traced'),
      text: (line) => (line.traceability_level === null ? t('ui.no') : t('ui.yes')),
      width: 94,
    },
    {
      id: 'each',
      head: t('production.material.each'),
      text: (line) => line.qt,
      cell: (line) => <Quantity value={line.qt} />,
      numeric: true,
      width: 84,
    },
    {
      id: 'total',
      head: t('production.material.total'),
      text: total,
      cell: (line) => <Quantity value={total(line)} />,
      numeric: true,
      width: 112,
      sortable: true,
    },
  ]
}

/** What the order uses. Later changes to the product do not touch it. */
export function Materials({ order }: { order: Order }) {
  const t = useText()
  const columns = useMemo(() => columnsOf(t, order.qt_planned), [t, order.qt_planned])
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
          to={(line) => `/product/${encodeURIComponent(line.component_key)}`}
          height={320}
        >
          {heading}
        </DataTable>
      )}
    </TableSection>
  )
}
