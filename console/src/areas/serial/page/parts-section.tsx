import { Button } from '@mantine/core'
import { useCallback, useMemo } from 'react'
import { useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { useGo } from '@/ui/Go'
import { LoadFailed } from '@/ui/LoadFailed'
import { Moment } from '@/ui/Moment'
import { Section } from '@/ui/Section'
import { Lines } from '@/ui/Skeletons'
import { StatusMark, ToneMark } from '@/ui/StatusMark'
import { Tree, type TreeShape } from '@/ui/Tree'
import type { Act } from './actions/acts'
import { unitAddress } from './address'
import { countParts, type Part, partOf } from './model/tree'
import type { UnitView } from './view'

const isMissing = (part: Part) => part.expected
/** Why a part was taken out takes more than what is left of a line. */
const isTall = (part: Part) => part.replaced
const nameOf = (part: Part) => part.serial_code ?? part.product_code

/** Equal parts without parts of their own fold into one line. */
const foldBy = (part: Part) =>
  part.expected || part.children.length > 0 ? undefined : `${part.product_key} ${part.replaced} ${part.extra_bom}`

const SHAPE: TreeShape<Part> = { id: (part) => part.id, children: (part) => part.children, foldBy }

interface PartsSectionProps {
  readonly view: UnitView
  /** What may be done with parts; undefined where nothing may. */
  readonly onAct: ((act: Act) => void) | undefined
}

/** What is in the unit, with what is missing in its place. */
export function PartsSection({ view, onAct }: PartsSectionProps) {
  const t = useText()
  const go = useGo()
  const { tree, node, asOf } = view
  const root = useMemo(() => (node ? partOf(node) : undefined), [node])
  const counts = root && countParts(root)
  const released = view.facts?.released != null
  const row = useCallback(
    (part: Part) => <Row part={part} asOf={asOf} onAct={onAct} top={root} released={released} />,
    [asOf, onAct, root, released],
  )
  const groupRow = useCallback((part: Part) => <Product part={part} />, [])
  const open = (part: Part) => {
    if (part.serial_key && part !== root) go(unitAddress(part.serial_key, asOf))
  }
  return (
    <Section title={t('serial.parts.title')} count={counts && counts.inside > 0 ? counts.inside : undefined}>
      {tree.isPending && <Lines count={5} />}
      {tree.isError && <LoadFailed error={tree.error} onRetry={tree.refetch} />}
      {counts && counts.missing > 0 && (
        <p className="tw-unit-missing">
          {released ? (
            <ToneMark tone="critical" icon="critical">
              {t('serial.parts.missing', { count: counts.missing })}
            </ToneMark>
          ) : (
            <ToneMark tone="waiting" icon="waiting">
              {t('serial.parts.toCome', { count: counts.missing })}
            </ToneMark>
          )}
        </p>
      )}
      {root && root.children.length === 0 && (
        <p className="tw-unit-later">
          {t('serial.parts.none')}{' '}
          {onAct && (
            <Button
              size="compact-sm"
              variant="subtle"
              onClick={() => onAct({ kind: 'build', parentKey: view.serialKey })}
            >
              {t('serial.act.build')}
            </Button>
          )}
        </p>
      )}
      {root && root.children.length > 0 && (
        <div
          className="tw-unit-tree"
          data-waiting={tree.isPlaceholderData || undefined}
          data-coming={!released || undefined}
        >
          <p className="tw-unit-tree-head">{t('serial.parts.linked')}</p>
          <Tree
            label={t('serial.parts.title')}
            roots={[root]}
            {...SHAPE}
            name={nameOf}
            row={row}
            groupRow={groupRow}
            missing={isMissing}
            tall={isTall}
            onOpen={open}
            depth={3}
            height={520}
          />
        </div>
      )}
    </Section>
  )
}

function Product({ part }: { part: Part }) {
  return (
    <span className="tw-unit-part">
      <span className="tw-unit-part-name">{part.product_description ?? part.product_code}</span>
      {part.product_description && <span className="tw-code tw-unit-part-code">{part.product_code}</span>}
    </span>
  )
}

interface RowProps {
  readonly part: Part
  readonly top: Part | undefined
  readonly asOf: string | undefined
  readonly onAct: ((act: Act) => void) | undefined
  readonly released: boolean
}

function Row({ part, top, asOf, onAct, released }: RowProps) {
  const t = useText()
  if (part.expected) return <MissingRow part={part} onAct={onAct} released={released} />
  const own = part.id === top?.id
  return (
    <>
      <span className="tw-unit-part-serial" data-replaced={part.replaced || undefined}>
        <Code bare to={own || !part.serial_key ? undefined : unitAddress(part.serial_key, asOf)}>
          {part.serial_code ?? t('serial.uncoded', { product: part.product_code })}
        </Code>
      </span>
      <Product part={part} />
      <Marks part={part} asOf={asOf} own={own} />
      {!own && part.linked && (
        <span className="tw-unit-part-when">
          <Moment at={part.linked} as="date" />
        </span>
      )}
    </>
  )
}

/** What is out of the ordinary. The states of parts are those of today, so they are left out when the page looks at the past. */
function Marks({ part, asOf, own }: { part: Part; asOf: string | undefined; own: boolean }) {
  const t = useText()
  const odd = part.state === 'scrapped' || part.state === 'deleted'
  return (
    <>
      {part.replaced && (
        <span className="tw-unit-part-note">
          {t('serial.parts.replaced')} {part.unlinked && <Moment at={part.unlinked} as="date" />}
          {part.reason && <> – {part.reason}</>}
        </span>
      )}
      {!part.confirmed && (
        <ToneMark tone="waiting" icon="waiting">
          {t('serial.parts.temporary')}
        </ToneMark>
      )}
      {part.extra_bom && <StatusMark of="built" state="extra" />}
      {odd && !own && asOf === undefined && part.state && <StatusMark of="serial" state={part.state} />}
    </>
  )
}

function MissingRow({ part, onAct, released }: Pick<RowProps, 'part' | 'onAct' | 'released'>) {
  const t = useText()
  const { parentKey } = part
  const count = part.expected_quantity ?? 1
  return (
    <>
      <b>{released ? t('ui.tree.missing', { count }) : t('serial.parts.toBuild', { count })}</b>
      <Product part={part} />
      {onAct && parentKey && (
        <Button
          className="tw-unit-part-act tw-no-print"
          size="compact-xs"
          variant="subtle"
          onClick={() =>
            onAct({
              kind: 'build',
              parentKey,
              product: { key: part.product_key, code: part.product_code, description: part.product_description },
            })
          }
        >
          {t('serial.act.build')}
        </Button>
      )}
    </>
  )
}
