import type { Header } from '@tanstack/react-table'
import { memo, useDeferredValue } from 'react'
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
      {columns.map((column, at) => (
        <td key={column.id} data-numeric={column.numeric || undefined}>
          {whole && (row ? show(column, row) : <Bar width={`${45 + ((index * 7 + at * 13) % 40)}%`} />)}
          {!whole && row && at === 0 && plain(column, row)}
        </td>
      ))}
    </tr>
  )
}

/** One row, or its skeleton while it is on its way. Rows that stay are not rendered again while others come and go. */
export const Line = memo(LineOf) as typeof LineOf

function show<Row>(column: Column<Row>, row: Row) {
  return column.cell ? column.cell(row) : plain(column, row)
}

function plain<Row>(column: Column<Row>, row: Row) {
  const text = column.text(row)
  return text === null || text === undefined ? '' : String(text)
}
