import { Handle, type NodeProps, Position } from '@xyflow/react'
import { createContext, use, useEffect, useRef } from 'react'
import { type Text, useText } from '@/i18n'
import { Icon } from '@/ui/icons'
import { codeOf } from './names'
import type { Entry, FoldEntry, UnitEntry } from './opened'
import { stateLook, stateWord } from './UnitMark'
import { type Side, wayOut } from './web'

/** What the nodes of the graph need from it. */
export interface GraphState {
  /** Where the arrow keys are. */
  readonly current: string
  /** Whether the current node should take the focus. */
  readonly grabs: boolean
  readonly select: (entry: Entry) => void
  readonly toggle: (entry: Entry, way: string) => void
}

export const GraphContext = createContext<GraphState | undefined>(undefined)

export interface NodeData extends Record<string, unknown> {
  readonly entry: Entry
  readonly selected: boolean
  readonly onPath: boolean
}

/** A unit, or several equal ones, in the graph. */
export function UnitNode({ data }: NodeProps & { data: NodeData }) {
  const graph = use(GraphContext)
  const t = useText()
  const { entry } = data
  const button = useRef<HTMLButtonElement>(null)
  const current = graph?.current === entry.id
  const grabs = current && graph?.grabs === true
  useEffect(() => {
    if (grabs) button.current?.focus({ preventScroll: true })
  }, [grabs])
  return (
    <div
      className="tw-node"
      data-kind={entry.kind}
      data-start={entry.side === 'start' || undefined}
      data-selected={data.selected || undefined}
      data-path={data.onPath || undefined}
      data-ended={linkOf(entry)?.replaced || undefined}
    >
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <Handle type="source" position={Position.Right} isConnectable={false} />
      <button
        ref={button}
        type="button"
        className="tw-node-main"
        data-entry={entry.id}
        tabIndex={current ? 0 : -1}
        aria-pressed={data.selected}
        aria-label={spoken(t, entry)}
        onClick={() => graph?.select(entry)}
      >
        {entry.kind === 'unit' ? <UnitFace entry={entry} /> : <FoldFace entry={entry} />}
      </button>
      {entry.kind === 'unit' && <Ways entry={entry} toggle={(way) => graph?.toggle(entry, way)} />}
      {entry.kind === 'fold' && (
        <button
          type="button"
          className="tw-node-way"
          data-side={entry.side}
          tabIndex={-1}
          aria-label={t('trace.node.fold.open')}
          title={t('trace.node.fold.open')}
          onClick={() => graph?.toggle(entry, entry.id)}
        >
          <Icon name="plus" size={12} />
        </button>
      )}
    </div>
  )
}

function linkOf(entry: Entry) {
  return entry.kind === 'unit' ? entry.unit.link : entry.sample.link
}

function UnitFace({ entry }: { entry: UnitEntry }) {
  const t = useText()
  const { node, link } = entry.unit
  return (
    <>
      <span className="tw-node-line">
        <StateIcon entry={entry} />
        <b className="tw-node-code">{codeOf(t, node)}</b>
      </span>{' '}
      <span className="tw-node-about" title={[node.product_code, node.product_description].filter(Boolean).join(' ')}>
        {link?.replaced && <i>{t('trace.node.replaced')}</i>}{' '}
        {link?.confirmed === false && <i>{t('trace.node.temporary')}</i>} <span>{node.product_code}</span>{' '}
        {node.product_description}
      </span>
    </>
  )
}

function StateIcon({ entry }: { entry: UnitEntry }) {
  const t = useText()
  const look = stateLook(entry.unit)
  if (look === null) return <Icon name="order" size={14} />
  return (
    <span className="tw-mark" data-tone={look.tone} title={stateWord(t, entry.unit) ?? undefined}>
      <Icon name={look.icon} size={14} />
    </span>
  )
}

function FoldFace({ entry }: { entry: FoldEntry }) {
  const t = useText()
  const { node } = entry.sample
  return (
    <>
      <span className="tw-node-line">
        <b>{foldName(t, entry)}</b>
      </span>{' '}
      <span className="tw-node-about" title={node.product_description ?? undefined}>
        {entry.sample.link?.replaced && <i>{t('trace.node.replaced')}</i>} {node.product_description}
      </span>
    </>
  )
}

/** The + and − at the sides. They are for the mouse; keys are on the node itself. */
function Ways({ entry, toggle }: { entry: UnitEntry; toggle: (way: string) => void }) {
  const t = useText()
  const code = codeOf(t, entry.unit.node)
  return (['from', 'to'] as const)
    .filter((side) => entry.more[side] > 0)
    .map((side) => {
      const open = entry.open[side]
      const words = open ? t(`trace.node.close.${side}`, { code }) : openWords(t, side, entry.more[side], code)
      return (
        <button
          key={side}
          type="button"
          className="tw-node-way"
          data-side={side}
          data-open={open || undefined}
          tabIndex={-1}
          aria-label={words}
          title={words}
          onClick={() => toggle(wayOut(side, entry.id))}
        >
          <Icon name={open ? 'minus' : 'plus'} size={12} />
          {!open && <span>{entry.more[side]}</span>}
        </button>
      )
    })
}

function openWords(t: Text, side: Side, count: number, code: string): string {
  return t(`trace.node.open.${side}`, { count, code })
}

function foldName(t: Text, { members, sample, rest }: FoldEntry): string {
  const [count, name] = [members.length, sample.node.product_code]
  return rest ? t('trace.node.fold.rest', { count, product: name }) : t('ui.tree.group', { count, name })
}

/** Everything that the node shows, in words: what stands on it in the same sequence, so that it can be called by it. */
function spoken(t: Text, entry: Entry): string {
  const { node, link } = entry.kind === 'unit' ? entry.unit : entry.sample
  const replaced = link?.replaced === true && t('trace.node.replaced')
  const parts: (string | null | false)[] = [
    entry.side === 'start' ? t('trace.side.start') : t(`trace.side.${entry.side}`),
  ]
  if (entry.kind === 'fold') {
    parts.push(foldName(t, entry), replaced, node.product_description)
  } else {
    parts.push(codeOf(t, node), replaced, link?.confirmed === false && t('trace.node.temporary'))
    parts.push(node.product_code, node.product_description)
    parts.push(stateWord(t, entry.unit))
    if (entry.more.from > 0) parts.push(t('trace.node.more.from', { count: entry.more.from }))
    if (entry.more.to > 0) parts.push(t('trace.node.more.to', { count: entry.more.to }))
  }
  return parts.filter(Boolean).join(', ')
}
