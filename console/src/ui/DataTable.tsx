import { type ReactNode, useState } from 'react'
import { useText } from '@/i18n'
import { LoadFailed } from './LoadFailed'
import { useColumns } from './table/columns'
import { Rows } from './table/Rows'
import { type Remote, useFirstPage } from './table/rows'
import { Tools } from './table/Tools'
import type { Column, Sort } from './table/types'
import './DataTable.css'

export type { Column, Sort } from './table/types'

interface DataTableProps<Row extends object> {
  /** Names the kind of table, in every language alike: the choice of columns is remembered by it. */
  readonly name: string
  /** What the export is called; the name where left out. */
  readonly file?: string
  /** What the rows are, for screen readers. */
  readonly label: string
  /** Made once (outside the component, or with `useMemo`). */
  readonly columns: readonly Column<Row>[]
  readonly rowKey: (row: Row) => string
  /** Rows of the server, fetched as they come into view. Its `queryKey` holds filters and sorting. */
  readonly source?: Remote<Row>
  /** Rows that are all there; sorted here. */
  readonly rows?: readonly Row[]
  readonly sort?: Sort | undefined
  readonly onSort?: (sort: Sort | undefined) => void
  /** The address that a row opens: by click, Enter, or in a new tab. */
  readonly to?: (row: Row) => string | undefined
  /** Opens a row in another way than by an address. */
  readonly onOpen?: (row: Row) => void
  /** What is shown instead of no rows. */
  readonly empty?: ReactNode
  /** Filters, in the line above. */
  readonly children?: ReactNode
  /** Leaves the line above out. */
  readonly plain?: boolean
  /** How high it may grow: down to the end of the window, or so many pixels. */
  readonly height?: 'window' | number
}

const NO_ROWS: readonly never[] = []

/** A table of any length. Arrow keys walk, Enter opens; 100,000 rows scroll as smoothly as ten. */
export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const t = useText()
  const { source, rows, columns } = props
  const { visibility, choose } = useColumns(props.name, columns)
  const [ownSort, setOwnSort] = useState<Sort>()
  const { first, count: remoteCount } = useFirstPage(source)
  const count = source === undefined ? (rows?.length ?? 0) : remoteCount
  const waiting = source === undefined ? rows === undefined : first.isPending
  const failed = source !== undefined && first.isError && first.data === undefined
  return (
    <div className="tw-table">
      {props.plain !== true && (
        <Tools
          file={props.file ?? props.name}
          columns={columns}
          visibility={visibility}
          choose={choose}
          rows={rows}
          source={source}
          count={count}
          counted={!waiting && !failed}
        >
          {props.children}
        </Tools>
      )}
      {failed && <LoadFailed error={first.error} onRetry={() => first.refetch()} />}
      {!failed && !waiting && count === 0 && (props.empty ?? <p className="tw-table-empty">{t('ui.table.empty')}</p>)}
      {!failed && (waiting || count > 0) && (
        <Rows
          label={props.label}
          columns={columns}
          visibility={visibility}
          rowKey={props.rowKey}
          source={source}
          rows={source === undefined ? (rows ?? NO_ROWS) : (first.data?.rows ?? NO_ROWS)}
          count={waiting ? 12 : count}
          stale={first.isPlaceholderData}
          sort={props.onSort ? props.sort : ownSort}
          onSort={props.onSort ?? setOwnSort}
          to={props.to}
          onOpen={props.onOpen}
          height={props.height ?? 'window'}
        />
      )}
    </div>
  )
}
