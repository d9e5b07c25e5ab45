import { useMediaQuery } from '@mantine/hooks'
import { useMemo } from 'react'
import { type Text, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { type Column, DataTable } from '@/ui/DataTable'
import { Empty } from '@/ui/Empty'
import { type Filter, Filters } from '@/ui/Filters'
import { Moment } from '@/ui/Moment'
import { NARROW } from '../narrow'
import { traceRoute } from '../routes'
import { codeOf } from './names'
import { matching, type Row, rowsOf } from './rows'
import { stateWord, UnitMark } from './UnitMark'
import type { Web } from './web'

/** On a narrow page the code of a product stands for its description. */
function columnsOf(t: Text, narrow: boolean): Column<Row>[] {
  return [
    {
      id: 'side',
      head: t('trace.table.side'),
      text: ({ unit }) => t(`trace.side.${unit.side}`),
      width: 88,
      sortable: true,
    },
    {
      id: 'level',
      head: t('trace.table.level'),
      text: ({ unit }) => unit.level,
      numeric: true,
      width: 64,
      sortable: true,
    },
    {
      id: 'code',
      head: t('trace.table.code'),
      text: ({ unit }) => unit.node.code,
      cell: ({ unit }) => (unit.node.code === null ? codeOf(t, unit.node) : <Code bare>{unit.node.code}</Code>),
      width: 112,
      fixed: true,
      sortable: true,
    },
    {
      id: 'product',
      head: t('trace.table.product'),
      text: ({ unit }) => unit.node.product_code,
      cell: ({ unit }) => <Code bare>{unit.node.product_code}</Code>,
      width: 84,
      sortable: true,
    },
    {
      id: 'description',
      head: t('trace.table.description'),
      text: ({ unit }) => unit.node.product_description,
      least: 164,
      optional: narrow,
    },
    {
      id: 'state',
      head: t('trace.table.state'),
      text: ({ unit }) => stateWord(t, unit),
      cell: ({ unit }) => <UnitMark unit={unit} />,
      width: 124,
      sortable: true,
    },
    {
      id: 'by',
      head: t('trace.table.by'),
      text: ({ by }) => (by === null ? '' : codeOf(t, by)),
      cell: ({ by }) => (by?.code == null ? null : <Code bare>{by.code}</Code>),
      width: 104,
    },
    {
      id: 'linked',
      head: t('trace.table.linked'),
      text: ({ unit }) => unit.link?.linked,
      cell: ({ unit }) => unit.link?.linked && <Moment at={unit.link.linked} as="date" />,
      width: 106,
      sortable: true,
    },
    {
      id: 'unlinked',
      head: t('trace.table.unlinked'),
      text: ({ unit }) => unit.link?.unlinked,
      cell: ({ unit }) => unit.link?.unlinked && <Moment at={unit.link.unlinked} as="date" />,
      width: 106,
      sortable: true,
      optional: true,
    },
    { id: 'reason', head: t('trace.table.reason'), text: ({ unit }) => unit.link?.reason, wrap: true, optional: true },
  ]
}

const NO_FILTERS: Filter[] = []

/** Everything that the graph could show, as a table with an export. */
export function TableView({ web, onSelect }: { web: Web; onSelect: (id: string) => void }) {
  const t = useText()
  const search = traceRoute.useSearch()
  const navigate = traceRoute.useNavigate()
  const narrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false })
  const columns = useMemo(() => columnsOf(t, narrow), [t, narrow])
  const rows = useMemo(() => matching(rowsOf(web), search.q), [web, search.q])
  const start = web.units.get(web.start)
  const code = start ? codeOf(t, start.node) : ''
  return (
    <DataTable
      name="trace"
      file={`trace-${code}`}
      label={t('trace.table.label', { code })}
      columns={columns}
      rows={rows}
      rowKey={(row) => row.id}
      onOpen={(row) => onSelect(row.id)}
      empty={<Empty icon="search" title={t('trace.table.none')} />}
    >
      <Filters
        filters={NO_FILTERS}
        search="q"
        searchLabel={t('trace.table.search')}
        values={{ q: search.q }}
        onChange={({ q }) =>
          void navigate({ search: (old) => ({ ...old, q: typeof q === 'string' ? q : undefined }), replace: true })
        }
      />
    </DataTable>
  )
}
