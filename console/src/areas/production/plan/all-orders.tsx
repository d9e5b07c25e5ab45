import { useMediaQuery } from '@mantine/hooks'
import { useMemo } from 'react'
import { api, pageOfDetail } from '@/api'
import { type Text, useFormats, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { type Column, DataTable } from '@/ui/DataTable'
import { dueDay } from '@/ui/days'
import { Empty } from '@/ui/Empty'
import { type Filter, Filters } from '@/ui/Filters'
import { Moment } from '@/ui/Moment'
import { Quantity } from '@/ui/Quantity'
import { StatusMark, ToneMark } from '@/ui/StatusMark'
import { orderState, wordOf } from '@/ui/states'
import { isLate, type Order } from '../orders'
import { ProductChip } from './product-chip'
import { listQuery, type PlanSearch } from './search'

interface AllOrdersProps {
  readonly search: PlanSearch
  readonly onChange: (changes: Partial<PlanSearch>) => void
}

function filtersOf(t: Text): Filter[] {
  return [
    {
      kind: 'choice',
      id: 'state',
      label: t('production.list.state'),
      options: [
        { value: 'open', label: t('production.list.state.open') },
        { value: 'closed', label: t('production.list.state.closed') },
      ],
    },
    { kind: 'dates', id: 'start', label: t('production.list.start'), from: 'start_from', to: 'start_to' },
    { kind: 'dates', id: 'end', label: t('production.list.end'), from: 'end_from', to: 'end_to' },
  ]
}

/** The room decides which columns are shown at first; anybody may choose others. */
function columnsOf(t: Text, room: 'little' | 'some' | 'much'): Column<Order>[] {
  const word = t as (key: string) => string
  return [
    {
      id: 'code',
      head: t('production.list.code'),
      text: (row) => row.wo_code,
      cell: (row) => <Code bare>{row.wo_code}</Code>,
      width: 92,
      fixed: true,
    },
    {
      id: 'state',
      head: t('production.list.state'),
      text: (row) =>
        [word(wordOf('order', orderState(row))), ...(isStopped(row) ? [t('ui.state.issue.critical')] : [])].join(', '),
      cell: (row) => <State order={row} />,
      width: 116,
    },
    {
      id: 'product',
      head: t('production.list.product'),
      text: (row) => row.product_code,
      cell: (row) => <Code bare>{row.product_code}</Code>,
      width: 104,
    },
    {
      id: 'description',
      head: t('production.list.description'),
      text: (row) => row.product_description,
      cell: (row) => <span title={row.product_description ?? undefined}>{row.product_description}</span>,
      least: room === 'little' ? 120 : 200,
    },
    {
      id: 'due',
      head: t('production.list.due'),
      text: (row) => row.due_by && dueDay(row.due_by),
      cell: (row) => <Due order={row} />,
      width: 136,
    },
    amount('planned', t('production.list.planned'), (row) => row.qt_planned),
    amount('completed', t('production.list.completed'), (row) => row.qt_completed),
    amount('scrap', t('production.list.scrap'), (row) => row.qt_scrap, room === 'little'),
    amount('progress', t('production.list.progress'), (row) => row.progress, true),
    {
      id: 'project',
      head: t('production.list.project'),
      text: (row) => row.project_code,
      width: 140,
      optional: room !== 'much',
    },
    {
      id: 'onTime',
      head: t('production.list.onTime'),
      text: (row) => (isLate(row) ? t('ui.no') : t('ui.yes')),
      width: 90,
      optional: true,
    },
    moment('start', t('production.list.start'), (row) => row.start, true),
    moment('end', t('production.list.end'), (row) => row.end, room !== 'much'),
    moment('created', t('production.list.created'), (row) => row.created, true),
    amount('issues', t('production.list.issues'), (row) => row.issue_count, true),
  ]
}

function isOpen(order: Order): boolean {
  return order.status !== 'closed'
}

/** A critical issue is open on it. */
function isStopped(order: Order): boolean {
  return isOpen(order) && order.critical
}

function State({ order }: { order: Order }) {
  return (
    <span className="tw-orders-state">
      <StatusMark of="order" state={orderState(order)} />
      {isStopped(order) && <StatusMark of="issue" state="critical" />}
    </span>
  )
}

/** The day, marked while the order is late: what was late and is done needs nobody any more. */
function Due({ order }: { order: Order }) {
  const t = useText()
  const formats = useFormats()
  const day = order.due_by && dueDay(order.due_by)
  if (!day || !isOpen(order) || !isLate(order)) return <Moment at={day} as="date" />
  return (
    <span title={`${t('ui.state.late')}: ${formats.exact(day)}`}>
      <span className="tw-hidden">{t('ui.state.late')}</span>
      <ToneMark tone="critical" icon="late">
        {formats.date(day)}
      </ToneMark>
    </span>
  )
}

function amount(id: string, head: string, of: (row: Order) => string | number, optional = false): Column<Order> {
  return { id, head, text: of, cell: (row) => <Quantity value={of(row)} />, numeric: true, width: 82, optional }
}

function moment(id: string, head: string, of: (row: Order) => string | null, optional = false): Column<Order> {
  return { id, head, text: of, cell: (row) => <Moment at={of(row)} />, width: 128, optional }
}

/** Every order there is, open ones first, then the last finished. */
export function AllOrders({ search, onChange }: AllOrdersProps) {
  const t = useText()
  const wide = useMediaQuery('(min-width: 1400px)') ?? true
  const narrow = useMediaQuery('(max-width: 1100px)') ?? false
  const columns = useMemo(() => columnsOf(t, narrow ? 'little' : wide ? 'much' : 'some'), [t, narrow, wide])
  const filters = useMemo(() => filtersOf(t), [t])
  const query = listQuery(search)
  const { view: _view, show: _show, new: _new, product: _product, of, ...values } = search
  return (
    <DataTable
      name="orders"
      label={t('production.list.label')}
      columns={columns}
      rowKey={(row) => row._key}
      to={(row) => `/order/${encodeURIComponent(row._key)}`}
      source={{
        queryKey: ['production', 'orders', query],
        fetchPage: ({ limit, offset, count, signal }) =>
          pageOfDetail(
            offset,
            api.GET('/work-order', { params: { query: { ...query, limit, offset, count } }, signal }),
          ),
      }}
      empty={
        <Empty icon="order" title={t('production.list.empty.title')}>
          {t('production.list.empty.text')}
        </Empty>
      }
    >
      <div className="tw-plan-find">
        <ProductChip product={of} onChange={onChange} />
        <Filters
          search="q"
          searchLabel={t('production.list.search')}
          filters={filters}
          values={values}
          onChange={(changes) => onChange(changes as Partial<PlanSearch>)}
        />
      </div>
    </DataTable>
  )
}
