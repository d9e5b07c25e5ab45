import { useMemo } from 'react'
import { type Text, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { ToneMark } from '@/ui/StatusMark'
import { Tree } from '@/ui/Tree'
import { codeOf } from './names'
import { FOLD_FROM } from './opened'
import { UnitMark } from './UnitMark'
import { nextOf, type Side, summaryOf, type Unit, type Web } from './web'

/** One side of the trace, or a unit in it. */
type Branch =
  | { readonly kind: 'side'; readonly side: Side; readonly count: number }
  | { readonly kind: 'unit'; readonly side: Side; readonly id: string; readonly unit: Unit }

interface TreeViewProps {
  readonly web: Web
  readonly selected: string
  readonly onSelect: (id: string) => void
}

const idOf = (branch: Branch) => (branch.kind === 'side' ? `side:${branch.side}` : branch.id)
const foldBy = (branch: Branch) =>
  branch.kind === 'side' ? undefined : `${branch.unit.node.product_key}~${branch.unit.link?.replaced ?? false}`

/** The same as the graph, as a tree: both sides below each other. */
export function TreeView({ web, selected, onSelect }: TreeViewProps) {
  const t = useText()
  const start = web.units.get(web.start)
  const roots = useMemo<Branch[]>(
    () => (['to', 'from'] as const).map((side) => ({ kind: 'side', side, count: summaryOf(web, side).units })),
    [web],
  )
  const shape = useMemo(
    () => ({
      id: idOf,
      children: (branch: Branch): Branch[] =>
        nextOf(web, branch.side, branch.kind === 'side' ? web.start : branch.id).flatMap((id): Branch[] => {
          const unit = web.units.get(id)
          return unit ? [{ kind: 'unit', side: branch.side, id, unit }] : []
        }),
    }),
    [web],
  )
  return (
    <Tree
      label={t('trace.tree.label', { code: start ? codeOf(t, start.node) : '' })}
      {...shape}
      roots={roots}
      name={(branch) => nameOf(t, branch)}
      row={(branch) => <Line branch={branch} />}
      groupRow={(branch) => branch.kind === 'unit' && <Product unit={branch.unit} />}
      foldBy={foldBy}
      foldFrom={FOLD_FROM}
      onOpen={(branch) => branch.kind === 'unit' && onSelect(branch.id)}
      selected={selected}
      depth={3}
    />
  )
}

function nameOf(t: Text, branch: Branch): string {
  return branch.kind === 'side' ? t(`trace.side.${branch.side}`) : codeOf(t, branch.unit.node)
}

function Line({ branch }: { branch: Branch }) {
  const t = useText()
  if (branch.kind === 'side') {
    const count = branch.count
    return (
      <>
        <b>{t(`trace.side.${branch.side}`)}</b>
        <span className="tw-trace-faint">
          {count === 0 ? t(`trace.side.none.${branch.side}`) : t('trace.side.units', { count })}
        </span>
      </>
    )
  }
  const { node, link } = branch.unit
  return (
    <>
      {node.code === null ? codeOf(t, node) : <Code bare>{node.code}</Code>}
      <Product unit={branch.unit} />
      <UnitMark unit={branch.unit} />
      {link?.replaced && (
        <ToneMark tone="waiting" icon="undo">
          {t('trace.node.replaced')}
        </ToneMark>
      )}
      {link?.confirmed === false && (
        <ToneMark tone="todo" icon="waiting">
          {t('trace.node.temporary')}
        </ToneMark>
      )}
    </>
  )
}

function Product({ unit: { node } }: { unit: Unit }) {
  return (
    <span className="tw-trace-faint">
      {node.product_code} {node.product_description}
    </span>
  )
}
