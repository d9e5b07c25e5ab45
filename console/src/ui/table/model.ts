import {
  type ColumnDef,
  columnVisibilityFeature,
  createSortedRowModel,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from '@tanstack/react-table'
import { useMemo } from 'react'
import { useFormats } from '@/i18n'
import type { Visibility } from './columns'
import { compareCells } from './order'
import type { Column, Plain, Sort } from './types'

export const features = tableFeatures({
  columnVisibilityFeature,
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
})

export type Features = typeof features

function definition<Row extends object>(column: Column<Row>, tag: string): ColumnDef<Features, Row> {
  return {
    id: column.id,
    header: column.head,
    accessorFn: (row) => column.text(row) ?? undefined,
    enableSorting: column.sortable === true,
    enableHiding: column.fixed !== true,
    sortUndefined: 'last',
    sortFn: (a, b, id) => compareCells(a.getValue<Plain>(id), b.getValue<Plain>(id), column.numeric === true, tag),
  }
}

interface ModelInput<Row extends object> {
  readonly columns: readonly Column<Row>[]
  /** Rows that are all there; those of a server are in order already, and only the head is made here. */
  readonly rows: readonly Row[]
  readonly visibility: Visibility
  readonly sort: Sort | undefined
  readonly onSort: (sort: Sort | undefined) => void
}

/** The table model: which columns are shown, in what order the rows stand. */
export function useModel<Row extends object>(input: ModelInput<Row>) {
  const { tag } = useFormats()
  const { columns, rows, visibility, sort, onSort } = input
  const defined = useMemo(() => columns.map((column) => definition(column, tag)), [columns, tag])
  const sorting = useMemo<SortingState>(() => (sort ? [{ id: sort.by, desc: sort.descending }] : []), [sort])
  return useTable({
    features,
    columns: defined,
    data: rows,
    enableMultiSort: false,
    state: { columnVisibility: visibility, sorting },
    onSortingChange: (update) => {
      const [next] = typeof update === 'function' ? update(sorting) : update
      onSort(next && { by: next.id, descending: next.desc })
    },
  })
}
