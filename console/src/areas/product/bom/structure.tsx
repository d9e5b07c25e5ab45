import { Button } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { useFormats, useText } from '@/i18n'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { Quantity } from '@/ui/Quantity'
import { Tree } from '@/ui/Tree'
import { TraceMark } from '../marks'
import { type Explosion, phasesQuery } from '../queries'
import { productPage } from '../tabs'
import { useUnits } from '../units'
import { rounded } from './exact'
import { type BomNode, bomTree, componentsOf, phaseKeysOf } from './tree'

const idOf = (node: BomNode) => node.id
const nameOf = (node: BomNode) => node.code
/** As many lines as open at once without anybody waiting. */
const MOST = 10_000

/** The structure as a tree; the same sub-assembly stands wherever it is used. */
export function Structure({ explosion, children }: { explosion: Explosion; children: ReactNode }) {
  const t = useText()
  const formats = useFormats()
  const [depth, setDepth] = useState(2)
  const tree = useMemo(() => bomTree(explosion), [explosion])
  const phases = usePhaseNames(explosion)
  const units = useUnits(useMemo(() => componentsOf(explosion), [explosion]))
  const row = useCallback(
    (node: BomNode) => <Row node={node} phase={phases.get(node.phaseKey)} unit={units.get(node.key)} />,
    [phases, units],
  )
  const opens = tree.size(MOST) < MOST
  return (
    <div className="tw-bom">
      <div className="tw-bom-bar">
        {children}
        {opens && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setDepth(999)}>
            {t('product.bom.openAll')}
          </Button>
        )}
        <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setDepth(0)}>
          {t('product.bom.foldAll')}
        </Button>
      </div>
      <div className="tw-bom-head" aria-hidden="true">
        <span>{t('product.bom.component')}</span>
        <span className="tw-bom-phase">{t('product.bom.phase')}</span>
        <span className="tw-bom-trace">{t('product.col.trace')}</span>
        <span className="tw-bom-qt">{t('product.bom.perUnit')}</span>
        <span className="tw-bom-qt">{t('product.bom.total', { qt: formats.decimal(explosion.qt) })}</span>
      </div>
      <Tree
        key={depth}
        label={t('product.bom.label', { code: explosion.product_code })}
        roots={tree.roots}
        id={idOf}
        name={nameOf}
        depth={depth}
        row={row}
        {...{ children: tree.children }}
      />
    </div>
  )
}

interface RowProps {
  readonly node: BomNode
  readonly phase: string | undefined
  readonly unit: string | undefined
}

function Row({ node, phase, unit }: RowProps) {
  const t = useText()
  return (
    <span className="tw-bom-row">
      <span className="tw-bom-name">
        <Code bare to={productPage(node.key, 'bom')}>
          {node.code}
        </Code>
        <span>{node.description}</span>
        {node.cut && <span className="tw-bom-cut">{t('product.bom.cut')}</span>}
      </span>
      <span className="tw-bom-phase">{phase ?? ''}</span>
      <span className="tw-bom-trace">
        <TraceMark level={node.traceability} />
      </span>
      <span className="tw-bom-qt">
        <Quantity value={node.perUnit} unit={unit} />
      </span>
      <span className="tw-bom-qt">
        <Quantity value={rounded(node.total, 6)} unit={unit} />
      </span>
    </span>
  )
}

/** As many keys as fit into an address. */
const CHUNK = 60

function usePhaseNames(explosion: Explosion): ReadonlyMap<string, string> {
  const { can } = useSession()
  const keys = useMemo(() => phaseKeysOf(explosion), [explosion])
  const chunks = Array.from({ length: Math.ceil(keys.length / CHUNK) }, (_, at) =>
    keys.slice(at * CHUNK, (at + 1) * CHUNK),
  )
  return useQueries({
    queries: chunks.map((chunk) => ({ ...phasesQuery(chunk), enabled: can('process:template:read') })),
    combine: namesOf,
  })
}

function namesOf(results: readonly { data?: { _key: string; alias: string }[] | undefined }[]) {
  return new Map(results.flatMap(({ data }) => (data ?? []).map(({ _key, alias }) => [_key, alias] as const)))
}
