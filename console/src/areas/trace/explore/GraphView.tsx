import { type Edge, type Node, ReactFlow, ReactFlowProvider } from '@xyflow/react'
import { type KeyboardEvent, useCallback, useMemo, useRef, useState } from 'react'
import { useText } from '@/i18n'
import { GraphEdge, type LineData } from './GraphEdge'
import { GraphTools, SideHeads } from './GraphParts'
import { boxOf, heightFor, layOut, linesOf, NODE, type Spot, widthFor } from './layout'
import { codeOf } from './names'
import { type Entry, type Opened, pathTo, shownEntries, takeOut, toggleWay } from './opened'
import { GraphContext, type NodeData, UnitNode } from './UnitNode'
import { useFirstView, useShow } from './viewport'
import { walk } from './walk'
import type { Web } from './web'
import '@xyflow/react/dist/base.css'
import './graph.css'

interface GraphProps {
  readonly web: Web
  readonly opened: Opened
  readonly onOpened: (opened: Opened) => void
  /** The id of the entry whose facts are shown. */
  readonly selected: string
  readonly onSelect: (entry: Entry) => void
}

const NODES = { unit: UnitNode }
const EDGES = { link: GraphEdge }

function nodesOf(spots: readonly Spot[], selected: string, path: ReadonlySet<string>): Node<NodeData>[] {
  return spots.map(({ entry, x, y, width }) => ({
    id: entry.id,
    type: 'unit',
    position: { x, y },
    width,
    height: NODE.height,
    data: { entry, selected: entry.id === selected, onPath: path.has(entry.id) },
  }))
}

function edgesOf(web: Web, entries: readonly Entry[], path: ReadonlySet<string>): Edge<LineData>[] {
  return linesOf(web, entries).map(({ id, left, right, look, beside }) => ({
    id,
    type: 'link',
    source: left,
    target: right,
    data: { look, beside, onPath: !beside && path.has(left) && path.has(right) },
  }))
}

/** The graph: what a unit is made from at the left, what it went into at the right. */
export default function GraphView(props: GraphProps) {
  return (
    <ReactFlowProvider>
      <Graph {...props} />
    </ReactFlowProvider>
  )
}

function Graph({ web, opened, onOpened, selected, onSelect }: GraphProps) {
  const t = useText()
  const start = web.units.get(web.start)
  const code = start ? codeOf(t, start.node) : ''
  const box = useRef<HTMLElement>(null)
  const [current, setCurrent] = useState(web.units.has(selected) ? selected : web.start)
  const [grabs, setGrabs] = useState(false)
  const entries = useMemo(() => shownEntries(web, opened), [web, opened])
  const spots = useMemo(() => layOut(entries, widthFor(web)), [entries, web])
  const path = useMemo(() => new Set(pathTo(web, entries, selected)), [web, entries, selected])
  const nodes = useMemo(() => nodesOf(spots, selected, path), [spots, selected, path])
  const edges = useMemo(() => edgesOf(web, entries, path), [web, entries, path])
  const first = useFirstView(box, spots)
  const show = useShow(box, spots)

  const toggle = useCallback(
    (entry: Entry, way: string) => {
      setCurrent(entry.id)
      onOpened(entry.kind === 'fold' ? takeOut(opened, entry.id) : toggleWay(opened, way))
      if (entry.kind === 'unit' && !opened.ways.has(way)) show.column(entry.id, way.startsWith('from') ? 'from' : 'to')
    },
    [opened, onOpened, show],
  )
  const select = useCallback(
    (entry: Entry) => {
      setCurrent(entry.id)
      onSelect(entry)
    },
    [onSelect],
  )
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const at = spots.some(({ entry }) => entry.id === current) ? current : web.start
    const step = walk(spots, at, event.key)
    if (!step) return
    event.preventDefault()
    setGrabs(true)
    if ('go' in step) {
      setCurrent(step.go)
      show.node(step.go)
      return
    }
    const entry = entries.find(({ id }) => id === at)
    if (entry) toggle(entry, 'open' in step ? step.open : step.close)
  }
  const state = useMemo(() => ({ current, grabs, select, toggle }), [current, grabs, select, toggle])
  return (
    <section
      ref={box}
      className="tw-graph"
      style={{ height: heightFor(boxOf(spots)) }}
      aria-label={t('trace.graph.label', { code: code })}
      aria-describedby="tw-graph-help"
      onKeyDown={onKeyDown}
      onPointerDown={() => setGrabs(false)}
    >
      <GraphContext value={state}>
        {first && (
          <ReactFlow
            nodes={nodes}
            edges={edges}
            nodeTypes={NODES}
            edgeTypes={EDGES}
            defaultViewport={first}
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            elementsSelectable={false}
            disableKeyboardA11y
            deleteKeyCode={null}
            panOnScroll
            zoomOnDoubleClick={false}
            onlyRenderVisibleElements
            minZoom={0.3}
            maxZoom={1.4}
          >
            <SideHeads web={web} />
            <GraphTools web={web} opened={opened} onOpened={onOpened} show={show} />
          </ReactFlow>
        )}
      </GraphContext>
      <span id="tw-graph-help" className="tw-hidden">
        {t('trace.graph.help')}
      </span>
    </section>
  )
}
