import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useText } from '@/i18n'
import { useGo, wantsTab } from '../Go'
import { LoadFailed } from '../LoadFailed'
import type { Visibility } from './columns'
import { Head, Line } from './Grid'
import { useModel } from './model'
import { useEdges, useRoom, useRowHeight } from './room'
import { type Remote, useWindow } from './rows'
import type { Column, Sort } from './types'
import { walk } from './windows'

export interface RowsProps<Row extends object> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly visibility: Visibility
  readonly rowKey: (row: Row) => string
  readonly source: Remote<Row> | undefined
  readonly rows: readonly Row[]
  readonly count: number
  readonly stale: boolean
  readonly sort: Sort | undefined
  readonly onSort: (sort: Sort | undefined) => void
  readonly to: ((row: Row) => string | undefined) | undefined
  readonly onOpen: ((row: Row) => void) | undefined
  readonly height: 'window' | number
}

const NO_ROWS: readonly never[] = []
/** Where a column does not say. */
const LEAST_WIDTH = 140

/** The width of a column in pixels: no head is cut, whatever the language. */
function widthOf({ width, head, sortable }: { width?: number; head: string; sortable?: boolean }): number | undefined {
  return width === undefined ? undefined : Math.max(width, head.length * 7 + (sortable ? 36 : 22))
}

/** A row without cells that stands for those out of view. It is as high as they are, and nobody hears of it. */
const SPACE = { 'aria-hidden': true } as const

/** The scrolling part of a table: a real table whose rows out of view are left out. */
export function Rows<Row extends object>(props: RowsProps<Row>) {
  const { columns, visibility, count, source } = props
  const t = useText()
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const rowHeight = useRowHeight()
  const room = useRoom(scroller, props.height)
  useEdges(scroller)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    scrollMargin: rowHeight,
    scrollPaddingStart: rowHeight,
  })
  const items = virtual.getVirtualItems()
  const from = items[0]?.index ?? 0
  const to = items.at(-1)?.index ?? 0
  const { rowAt, failed } = useWindow(source, from, to, props.rows)
  const table = useModel({ ...props, rows: source === undefined ? props.rows : NO_ROWS, visibility })
  const sorted = table.getRowModel().rows
  const rowOf = (index: number) => (source === undefined ? sorted[index]?.original : rowAt(index))

  const { current, ...events } = useWalking({
    ...props,
    rowOf,
    reveal: (index) => virtual.scrollToIndex(index),
    page: Math.max(1, Math.floor(room / rowHeight) - 2),
  })
  const listKey = JSON.stringify(source?.queryKey)
  useEffect(() => {
    if (listKey !== undefined) scroller.current?.scrollTo({ top: 0 })
  }, [listKey])

  const shown = useMemo(() => columns.filter(({ id: column }) => visibility[column]), [columns, visibility])
  const least = shown.reduce((sum, column) => sum + (widthOf(column) ?? column.least ?? LEAST_WIDTH), 0)
  const before = items.length > 0 ? (items[0]?.start ?? 0) - rowHeight : 0
  const after = items.length > 0 ? virtual.getTotalSize() - ((items.at(-1)?.end ?? 0) - rowHeight) : 0
  // A table whose rows can be walked is a grid, and takes the focus as a whole.
  const grid = {
    role: 'grid',
    tabIndex: 0,
    'aria-label': props.label,
    'aria-rowcount': count + 1,
    'aria-busy': props.stale,
    'aria-describedby': `${id}-help`,
    'aria-activedescendant': current === undefined ? undefined : `${id}-${current}`,
  }
  return (
    <div className="tw-table-scroll" ref={scroller} style={{ maxHeight: room }}>
      {failed && <LoadFailed error={failed.error} onRetry={() => failed.refetch()} />}
      <table
        {...grid}
        style={{ minWidth: least }}
        data-opens={props.to !== undefined || props.onOpen !== undefined || undefined}
        onPointerOver={nameCut}
        {...events}
      >
        <colgroup>
          {shown.map((column) => (
            <col key={column.id} style={{ width: widthOf(column) }} />
          ))}
        </colgroup>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} aria-rowindex={1} style={{ height: rowHeight }}>
              {group.headers.map((header) => {
                const column = columns.find(({ id: name }) => name === header.column.id)
                return column && <Head key={header.id} header={header} column={column} />
              })}
            </tr>
          ))}
        </thead>
        <tbody>
          {before > 0 && <tr {...SPACE} style={{ height: before }} />}
          {items.map(({ index }) => {
            const row = rowOf(index)
            const key = row === undefined ? index : props.rowKey(row)
            return (
              <Line
                key={key}
                id={`${id}-${index}`}
                index={index}
                row={row}
                columns={shown}
                current={current === index}
              />
            )
          })}
          {after > 0 && <tr {...SPACE} style={{ height: after }} />}
        </tbody>
      </table>
      <span className="tw-hidden" id={`${id}-help`}>
        {t('ui.table.help')}
      </span>
    </div>
  )
}

/** The whole text of a cell on hover, where it is cut. */
function nameCut({ target }: PointerEvent) {
  const cell = target instanceof Element ? target.closest('td') : null
  const box = cell?.querySelector('.tw-table-lines') ?? cell
  if (!cell || !box) return
  const cut = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight + 1
  cell.title = cut ? (cell.textContent ?? '') : ''
}

interface Walking<Row> {
  readonly count: number
  readonly page: number
  readonly rowOf: (index: number) => Row | undefined
  readonly reveal: (index: number) => void
  readonly to: ((row: Row) => string | undefined) | undefined
  readonly onOpen: ((row: Row) => void) | undefined
}

/** The current row: arrow keys walk, Enter and a click open. */
function useWalking<Row>({ count, page, rowOf, reveal, to, onOpen }: Walking<Row>) {
  const go = useGo()
  const [current, setCurrent] = useState<number>()
  const open = (index: number, event: MouseEvent | KeyboardEvent) => {
    const row = rowOf(index)
    if (row === undefined) return
    const address = to?.(row)
    if (address === undefined) onOpen?.(row)
    else if (wantsTab(event)) window.open(address, '_blank', 'noopener')
    else go(address)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTableElement>) => {
    if (event.target !== event.currentTarget) return
    if (event.key === 'Enter' && current !== undefined) {
      event.preventDefault()
      return open(current, event)
    }
    const next = walk(event.key, current ?? -1, count, page)
    if (next === undefined) return
    event.preventDefault()
    setCurrent(next)
    reveal(next)
  }
  const onFocus = (event: FocusEvent<HTMLTableElement>) => {
    const byKey = event.target === event.currentTarget && event.currentTarget.matches(':focus-visible')
    if (byKey && current === undefined && count > 0) setCurrent(0)
  }
  const onClick = (event: MouseEvent<HTMLTableElement>) => {
    const target = event.target as HTMLElement
    if (target.closest('a, button, input, label, select') || window.getSelection()?.type === 'Range') return
    const index = Number(target.closest('tr')?.dataset.index ?? Number.NaN)
    if (Number.isNaN(index)) return
    setCurrent(index)
    open(index, event)
  }
  const shown = current !== undefined && current < count ? current : undefined
  return { current: shown, onKeyDown, onFocus, onClick }
}
