import { useVirtualizer } from '@tanstack/react-virtual'
import { type MouseEvent, memo, type ReactNode, useCallback, useDeferredValue, useId, useMemo, useRef } from 'react'
import { useText } from '@/i18n'
import { Icon } from './icons'
import { useRoom, useRowHeight } from './table/room'
import { flatten, pathTo, type TreeLine, type TreeShape } from './tree/model'
import { useOpen, useTreeKeys } from './tree/state'
import './Tree.css'

export type { TreeShape } from './tree/model'

interface TreeProps<Node> extends TreeShape<Node> {
  /** What the tree shows, for screen readers. */
  readonly label: string
  readonly roots: readonly Node[]
  /** The short name of a node: for the path, for typing ahead, and for screen readers. */
  readonly name: (node: Node) => string
  /** What a line shows; the name where left out. */
  readonly row?: (node: Node) => ReactNode
  /** What a folded group shows besides its count; the row of its first node where left out. */
  readonly groupRow?: (node: Node, count: number) => ReactNode
  /** Marks a part that is expected and not there: shown in its place, in red, with dashes. */
  readonly missing?: ((node: Node) => boolean) | undefined
  /** Lines that get as high as what they say, where one line of text may not do. */
  readonly tall?: ((node: Node) => boolean) | undefined
  /** Click or Enter on a line. */
  readonly onOpen?: ((node: Node) => void) | undefined
  /** Asked for when a node with `hasMore` is opened. */
  readonly onExpand?: ((node: Node) => void) | undefined
  /** The id of the node that a panel beside the tree shows. */
  readonly selected?: string | undefined
  /** How many levels are open at first; 2 where left out. */
  readonly depth?: number
  readonly height?: 'window' | number
}

/** How high the path is, as in Tree.css. */
const PATH = 30

/** A tree of any size: the path from the root stays in view, equal children fold, and nothing that is open closes by itself. */
export function Tree<Node>(props: TreeProps<Node>) {
  const { roots, name, depth = 2 } = props
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const { open, toggle, widen } = useOpen(props, roots, depth, props.onExpand)
  const { id: idOf, children, hasMore, foldBy, foldFrom } = props
  const lines = useMemo(
    () => flatten({ id: idOf, children, hasMore, foldBy, foldFrom }, roots, open),
    [idOf, children, hasMore, foldBy, foldFrom, roots, open],
  )
  const rowHeight = useRowHeight()
  const room = useRoom(scroller, props.height ?? 'window')
  const getItemKey = useCallback((index: number) => lines[index]?.id ?? index, [lines])
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey,
    overscan: 12,
    scrollPaddingStart: PATH,
  })
  const keys = useTreeKeys({
    lines,
    name,
    page: Math.max(1, Math.floor((room - PATH) / rowHeight) - 1),
    reveal: (index) => virtual.scrollToIndex(index),
    toggle,
    widen,
    onOpen: props.onOpen,
  })
  const offset = virtual.scrollOffset ?? 0
  const path = offset > 0 ? pathTo(lines, virtual.getVirtualItemForOffset(offset + PATH)?.index ?? 0) : []
  const click = (event: MouseEvent<HTMLDivElement>) => {
    const target = event.target as HTMLElement
    if (target.closest('a, button')) return
    const index = Number(target.closest<HTMLElement>('[data-index]')?.dataset.index ?? Number.NaN)
    const line = lines[index]
    if (line === undefined) return
    keys.setCurrent(index)
    if (target.closest('.tw-tree-twist') || line.group > 0) toggle(line)
    else props.onOpen?.(line.node)
  }
  return (
    <div className="tw-tree">
      <div className="tw-tree-scroll" ref={scroller} style={{ maxHeight: room }}>
        <Path
          lines={lines}
          path={path}
          name={name}
          onGo={(index) => virtual.scrollToIndex(index, { align: 'start' })}
        />
        <div
          role="tree"
          tabIndex={0}
          aria-label={props.label}
          aria-activedescendant={keys.current === undefined ? undefined : `${id}-${keys.current}`}
          style={{ height: virtual.getTotalSize() }}
          onKeyDown={keys.onKeyDown}
          onFocus={keys.onFocus}
          onClick={click}
        >
          {virtual.getVirtualItems().map(({ index, start }) => {
            const line = lines[index]
            if (line === undefined) return null
            return (
              <Item
                key={line.id}
                id={`${id}-${index}`}
                index={index}
                line={line}
                top={start}
                height={rowHeight}
                measure={line.group === 0 && props.tall?.(line.node) ? virtual.measureElement : undefined}
                current={keys.current === index}
                tree={props}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

interface ItemProps<Node> {
  readonly id: string
  readonly index: number
  readonly line: TreeLine<Node>
  readonly top: number
  readonly height: number
  /** Of a tall line: told its element. */
  readonly measure: ((element: Element | null) => void) | undefined
  readonly current: boolean
  readonly tree: TreeProps<Node>
}

function PlainItem<Node>({ id, index, line, top, height, measure, current, tree }: ItemProps<Node>) {
  // The name comes first, the rest when there is time: lines that fly by never need it, and others get it before they are in view.
  const whole = useDeferredValue(true, false)
  const missing = tree.missing?.(line.node) === true
  const item = {
    role: 'treeitem',
    'aria-level': line.level,
    'aria-posinset': line.position,
    'aria-setsize': line.siblings,
    'aria-expanded': line.expandable ? line.open : undefined,
    'aria-selected': current,
  }
  return (
    <div
      {...item}
      id={id}
      ref={measure}
      className="tw-tree-item"
      data-index={index}
      data-shown={tree.selected === line.id || undefined}
      data-missing={missing || undefined}
      data-tall={measure !== undefined || undefined}
      style={{ top, [measure === undefined ? 'height' : 'minHeight']: height, paddingLeft: 4 + (line.level - 1) * 18 }}
    >
      <span className="tw-tree-twist" data-open={line.open || undefined}>
        {line.expandable && <Icon name="right" size={14} />}
      </span>
      <span className="tw-tree-row">{whole || line.group > 0 ? show(tree, line) : tree.name(line.node)}</span>
    </div>
  )
}

/** A line that stays in view while the tree scrolls is not made again. */
const Item = memo(PlainItem) as typeof PlainItem

function show<Node>(tree: TreeProps<Node>, line: TreeLine<Node>): ReactNode {
  const row = tree.row ?? tree.name
  if (line.group === 0) return row(line.node)
  return (
    <>
      <b className="tw-tree-count">{line.group} ×</b>
      {tree.groupRow ? tree.groupRow(line.node, line.group) : row(line.node)}
    </>
  )
}

interface PathProps<Node> {
  readonly lines: readonly TreeLine<Node>[]
  readonly path: readonly number[]
  readonly name: (node: Node) => string
  readonly onGo: (index: number) => void
}

/** The path from the root to the first line in view. It lies over the lines, so that nothing moves when it appears. */
function Path<Node>({ lines, path, name, onGo }: PathProps<Node>) {
  const t = useText()
  if (path.length === 0) return null
  return (
    <nav className="tw-tree-path" aria-label={t('ui.tree.path')}>
      {path.map((index) => {
        const line = lines[index]
        return (
          line && (
            <button key={line.id} type="button" onClick={() => onGo(index)}>
              {name(line.node)}
            </button>
          )
        )
      })}
    </nav>
  )
}
