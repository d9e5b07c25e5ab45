import { useMemo } from 'react'
import type { Schemas } from '@/api'
import type { Shippable } from '@/areas/trace/shipped'
import { type Text, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import type { Column } from '@/ui/DataTable'
import { Moment } from '@/ui/Moment'
import { StatusMark } from '@/ui/StatusMark'
import { wordOf } from '@/ui/states'

export type Unit = Shippable<Schemas['SerialFound']>

export function unitPage({ _key }: Pick<Unit, '_key'>): string {
  return `/serial/${encodeURIComponent(_key)}`
}

function columnsOf(t: Text): Column<Unit>[] {
  const word = t as (key: string) => string
  return [
    {
      id: 'code',
      head: t('serials.col.code'),
      text: (row) => row.code,
      cell: (row) =>
        row.code === null ? (
          <span className="tw-none">–</span>
        ) : (
          <Code bare to={unitPage(row)}>
            {row.code}
          </Code>
        ),
      width: 120,
      sortable: true,
      fixed: true,
    },
    {
      id: 'state',
      head: t('serials.col.state'),
      text: (row) => word(row.shipped ? wordOf('place', 'shipped') : wordOf('serial', row.state)),
      cell: (row) =>
        row.shipped ? <StatusMark of="place" state="shipped" /> : <StatusMark of="serial" state={row.state} />,
      width: 130,
    },
    {
      id: 'product_code',
      head: t('serials.col.product'),
      text: (row) => row.product?.code,
      cell: (row) =>
        row.product && (
          <>
            <Code bare>{row.product.code}</Code> <span className="tw-serials-about">{row.product.description}</span>
          </>
        ),
      least: 150,
      sortable: true,
    },
    {
      id: 'description',
      head: t('serials.col.description'),
      text: (row) => row.product?.description,
      width: 220,
      wrap: true,
      optional: true,
    },
    {
      id: 'wo_code',
      head: t('serials.col.order'),
      text: (row) => row.wo_code,
      cell: (row) => row.wo_code !== null && <Code bare>{row.wo_code}</Code>,
      width: 106,
      sortable: true,
    },
    {
      id: 'project_code',
      head: t('serials.col.project'),
      text: (row) => row.project_code,
      width: 150,
      sortable: true,
      optional: true,
    },
    {
      id: 'created',
      head: t('serials.col.created'),
      text: (row) => row.created,
      cell: (row) => <Moment at={row.created} />,
      width: 106,
      sortable: true,
    },
    {
      id: 'released',
      head: t('serials.col.released'),
      text: (row) => row.released,
      cell: (row) => <Moment at={row.released} />,
      width: 106,
      sortable: true,
    },
    {
      id: 'scrapped',
      head: t('serials.col.scrapped'),
      text: (row) => row.scrapped,
      cell: (row) => <Moment at={row.scrapped} />,
      width: 130,
      optional: true,
    },
    {
      id: 'reason',
      head: t('serials.col.reason'),
      text: (row) => row.scrap_reason,
      width: 200,
      wrap: true,
      optional: true,
    },
  ]
}

export function useColumns(): Column<Unit>[] {
  const t = useText()
  return useMemo(() => columnsOf(t), [t])
}
