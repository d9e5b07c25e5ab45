import { Checkbox } from '@mantine/core'
import { useMemo } from 'react'
import { isZero } from '@/api/decimal'
import { type Text, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { type Column, DataTable } from '@/ui/DataTable'
import { Quantity } from '@/ui/Quantity'
import { TraceMark } from '../marks'
import type { Explosion } from '../queries'
import { productPage } from '../tabs'
import { type Units, useUnits } from '../units'
import { componentsOf } from './tree'

type Node = Explosion['nodes'][number]

function columnsOf(t: Text, units: Units): Column<Node>[] {
  return [
    {
      id: 'code',
      head: t('product.col.code'),
      text: (row) => row.product_code,
      cell: (row) => (
        <Code bare to={productPage(row.product_key)}>
          {row.product_code}
        </Code>
      ),
      width: 150,
      fixed: true,
      sortable: true,
    },
    {
      id: 'description',
      head: t('product.col.description'),
      text: (row) => row.product_description,
      sortable: true,
    },
    {
      id: 'trace',
      head: t('product.col.trace'),
      text: (row) => t(`product.trace.${row.traceability_level ?? 'none'}`),
      cell: (row) => <TraceMark level={row.traceability_level} />,
      width: 150,
    },
    {
      id: 'level',
      head: t('product.bom.level'),
      text: levels,
      numeric: true,
      width: 90,
    },
    {
      id: 'total',
      head: t('product.bom.inAll'),
      text: (row) => row.qt_total,
      cell: (row) => <Quantity value={row.qt_total} unit={units.get(row.product_key)} />,
      numeric: true,
      sortable: true,
      width: 140,
    },
    {
      id: 'net',
      head: t('product.bom.toTake'),
      text: (row) => row.qt_net,
      cell: (row) =>
        isZero(row.qt_net) ? (
          <span className="tw-none">–</span>
        ) : (
          <Quantity value={row.qt_net} unit={units.get(row.product_key)} />
        ),
      numeric: true,
      sortable: true,
      width: 190,
    },
    {
      id: 'unit',
      head: t('product.col.unit'),
      text: (row) => units.get(row.product_key) ?? '',
      width: 70,
      optional: true,
    },
  ]
}

function levels(row: Node): string {
  return row.depth_min === row.depth_max ? String(row.depth_min) : `${row.depth_min}–${row.depth_max}`
}

const rowKey = (row: Node) => row.product_key
const pageOfRow = (row: Node) => productPage(row.product_key)

interface NeedsProps {
  readonly explosion: Explosion
  /** Sub-assemblies too, not only what is bought or taken. */
  readonly all: boolean
  readonly onAll: (all: boolean) => void
}

/** Everything that goes in, added up over all paths. */
export function Needs({ explosion, all, onAll }: NeedsProps) {
  const t = useText()
  const units = useUnits(useMemo(() => componentsOf(explosion), [explosion]))
  const columns = useMemo(() => columnsOf(t, units), [t, units])
  const rows = useMemo(
    () => (all ? explosion.nodes : explosion.nodes.filter(({ qt_net }) => !isZero(qt_net))),
    [all, explosion.nodes],
  )
  return (
    <DataTable
      name="bom-needs"
      file={`bom-${explosion.product_code}`}
      label={t('product.bom.view.needs')}
      columns={columns}
      rowKey={rowKey}
      rows={rows}
      to={pageOfRow}
    >
      <Checkbox
        label={t('product.bom.onlyToTake')}
        checked={!all}
        onChange={(event) => onAll(!event.currentTarget.checked)}
      />
    </DataTable>
  )
}
