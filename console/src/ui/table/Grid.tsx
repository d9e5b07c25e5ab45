import type { Header } from '@tanstack/react-table'
import { memo, type ReactNode, useDeferredValue } from 'react'
import { useText } from '@/i18n'
import { Icon } from '../icons'
import { Bar } from '../Skeletons'
import type { Features } from './model'
import type { Column } from './types'

/** The head of a column; a button if it sorts. */
export function Head<Row extends object>(props: { header: Header<Features, Row>; column: Column<Row> }) {
  const { header, column } = props
  const t = useText()
  const sorted = header.column.getIsSorted()
  const order = sorted === 'asc' ? 'ascending' : sorted === 'desc' ? 'descending' : undefined
  return (
    <th scope="col" aria-sort={order} data-numeric={column.numeric || undefined}>
      {column.sortable ? (
        <button
          type="button"
          title={t('ui.table.sort', { column: column.head })}
          onClick={header.column.getToggleSortingHandler()}
        >
          <span>{column.head}</span>
          <Icon name={sorted === 'desc' ? 'down' : 'up'} size={12} data-on={sorted !== false || undefined} />
        </button>
      ) : (
        <span>{column.head}</span>
      )}
    </th>
  )
}

interface LineProps<Row extends object> {
  readonly row: Row | undefined
  readonly columns: readonly Column<Row>[]
  readonly index: number
  readonly id: string
  readonly current: boolean
}

function LineOf<Row extends object>({ row, columns, index, id, current }: LineProps<Row>) {
  // The first cell comes first, the others when there is time: rows that fly by never need them.
  const whole = useDeferredValue(true, false)
  return (
    <tr id={id} data-index={index} aria-rowindex={index + 2} aria-selected={current} data-waiting={!row || undefined}>
      {columns.slice(0, whole ? undefined : 1).map((column, at) => (
        <td key={column.id} data-numeric={column.numeric || undefined}>
          {row ? (
            <Lines wrap={column.wrap}>{whole ? show(column, row) : plain(column, row)}</Lines>
          ) : (
            whole && <Bar width={barWidth(index, at)} />
          )}
        </td>
      ))}
    </tr>
  )
}

/** One row, or its skeleton while it is on its way. Rows that stay are not rendered again while others come and go. */
export const Line = memo(LineOf) as typeof LineOf

/** What a cell says, in one line or two. */
function Lines({ wrap, children }: { wrap: boolean | undefined; children: ReactNode }) {
  return wrap ? <div className="tw-table-lines">{children}</div> : children
}

/** Bars of different lengths look like text that is on its way. */
function barWidth(index: number, at: number): string {
  return `${45 + ((index * 7 + at * 13) % 40)}%`
}

function show<Row>(column: Column<Row>, row: Row) {
  return column.cell ? column.cell(row) : plain(column, row)
}

function plain<Row>(column: Column<Row>, row: Row) {
  const text = column.text(row)
  return text === null || text === undefined ? '' : String(text)
}
