import { Fragment, type ReactNode } from 'react'
import { useRich, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { type Fact, Facts } from '@/ui/Facts'
import { Go } from '@/ui/Go'
import { Moment } from '@/ui/Moment'
import { PageHead } from '@/ui/PageHead'
import { StatusMark, ToneMark } from '@/ui/StatusMark'
import { unitAddress } from './address'
import { counted, isFault } from './model/evidence'
import type { TreeNode } from './model/tree'
import type { UnitView } from './view'

/** What it is, how it stands, where it is, and what it is built into. */
export function UnitHead({ view, actions }: { view: UnitView; actions: ReactNode }) {
  const t = useText()
  const facts = useFacts(view)
  const unit = view.unit.data
  if (unit === undefined) return null
  const code = view.facts?.code ?? null
  const title = code ?? t('serial.uncoded', { product: unit.product?.code ?? '' })
  return (
    <>
      <PageHead
        title={title}
        shown={code === null ? title : <Code>{code}</Code>}
        trail={<Trail view={view} />}
        mark={
          <>
            <UnitState view={view} />
            <IssueMark view={view} />
          </>
        }
        answer={<Answer view={view} />}
        actions={actions}
      />
      {!view.notYet && <Facts look="line" facts={facts} />}
    </>
  )
}

/** Its state; of a unit that has left, that it has. When it was released is among the facts. */
function UnitState({ view: { state, shipped, notYet } }: { view: UnitView }) {
  if (state === undefined || notYet) return null
  if (shipped) return <StatusMark of="place" state="shipped" look="tag" />
  return <StatusMark of="serial" state={state} look="tag" />
}

/** The units around it, the outermost first. */
function Trail({ view }: { view: UnitView }) {
  const t = useText()
  return (
    <nav className="tw-unit-trail" aria-label={t('serial.trail')}>
      <Go to="/serial">{t('serial.list')}</Go>
      {view.around.map((node) => (
        <Fragment key={node.serial_key ?? node.batch_key}>
          <span aria-hidden="true">›</span>
          <Around node={node} asOf={view.asOf} />
        </Fragment>
      ))}
    </nav>
  )
}

function Around({ node, asOf }: { node: TreeNode; asOf: string | undefined }) {
  const t = useText()
  if (node.serial_key === null) return <span>{t('serial.batch', { product: node.product_code })}</span>
  return (
    <span title={node.product_description ?? undefined}>
      <Code bare to={unitAddress(node.serial_key, asOf)}>
        {node.serial_code ?? t('serial.uncoded', { product: node.product_code })}
      </Code>
    </span>
  )
}

/** An open critical issue is said at first sight. */
function IssueMark({ view }: { view: UnitView }) {
  const t = useText()
  const issues = view.record.data?.acceptance_records.issues ?? []
  const count = issues.filter(({ open, critical }) => open && critical).length
  if (count === 0 || view.time !== undefined) return null
  return (
    <a href="#issues">
      <ToneMark tone="critical" icon="critical" look="tag">
        {t('serial.criticalIssues', { count })}
      </ToneMark>
    </a>
  )
}

function Answer({ view }: { view: UnitView }) {
  const product = view.unit.data?.product
  const where = useWhere(view)
  return (
    <>
      {product && (
        <>
          <span className="tw-unit-product">{product.description ?? product.code}</span>
          {product.description && (
            <>
              {' '}
              <Code bare to={`/product/${encodeURIComponent(product._key)}`}>
                {product.code}
              </Code>
            </>
          )}
        </>
      )}
      {where && <span className="tw-unit-where">{where}</span>}
    </>
  )
}

/** Where it is at the moment of the page, in one sentence. */
function useWhere(view: UnitView): ReactNode {
  const t = useText()
  const rich = useRich()
  const { state, around, place, facts, unit, notYet } = view
  if (notYet || state === undefined) return null
  if (state === 'scrapped') {
    const reason = facts?.scrapped?.reason
    return reason ? t('serial.where.scrapped', { reason }) : null
  }
  if (state === 'deleted') return t('serial.where.deleted')
  const parent = around.at(-1)
  if (parent) {
    const link = <Around node={parent} asOf={view.asOf} />
    return (
      <>
        {rich('serial.where.in', { parent: link })}
        {place && <> {placeWords(rich, place)}</>}
      </>
    )
  }
  if (place) return placeWords(rich, place)
  if (state === 'released') return t('serial.where.unknown')
  if (state !== 'wip' && state !== 'uncoded') return null
  return unit.data?.wo_code ? rich('serial.where.made', { order: <Code bare>{unit.data.wo_code}</Code> }) : null
}

function placeWords(rich: ReturnType<typeof useRich>, place: NonNullable<UnitView['place']>): ReactNode {
  const time = <Moment at={place.since} as="date" />
  if (place.kind === 'shipped' && place.partner) return rich('serial.where.shippedTo', { partner: place.partner, time })
  if (place.kind === 'shipped') return rich('serial.where.shipped', { time })
  const code = <Code bare>{place.code}</Code>
  if (place.kind === 'outside' && place.partner) {
    return rich('serial.where.with', { code, partner: place.partner })
  }
  return rich('serial.where.at', { code })
}

function useFacts(view: UnitView): Fact[] {
  const t = useText()
  const unit = view.unit.data
  const name = (key: string | null | undefined) => (key ? view.people?.get(key) : undefined)
  const dated = (at: string | null | undefined, by: string | undefined) =>
    at && (
      <>
        <Moment at={at} as="date" />
        {by && <span className="tw-unit-by">{by}</span>}
      </>
    )
  if (unit === undefined) return []
  const released = view.facts?.released
  const scrapped = view.facts?.scrapped?.at
  return [
    {
      label: t('serial.fact.order'),
      value: unit.wo_code && unit.wo_key && (
        <Code to={`/order/${encodeURIComponent(unit.wo_key)}`}>{unit.wo_code}</Code>
      ),
    },
    { label: t('serial.fact.project'), value: unit.project_code },
    {
      label: unit.wo_key === null ? t('serial.fact.came') : t(released ? 'serial.fact.made' : 'serial.fact.begun'),
      value: dated(unit.created, name(unit.created_by)),
    },
    {
      label: t('serial.fact.released'),
      value: dated(released, released === unit.released ? name(unit.released_by) : undefined),
    },
    {
      label: t('serial.fact.scrapped'),
      value: dated(scrapped, scrapped === unit.scrapped ? name(unit.scrapped_by) : undefined),
    },
    { label: t('serial.fact.record'), value: view.time === undefined && <RecordFact view={view} /> },
  ]
}

function RecordFact({ view }: { view: UnitView }) {
  const t = useText()
  const record = view.record.data
  if (record === undefined) return <span className="tw-none">…</span>
  const lacking = counted(record.missing_evidence)
  const tone = isFault(record.missing_evidence, view.unit.data?.released !== null) ? 'critical' : 'waiting'
  return (
    <a className="tw-unit-record" href="#record">
      {record.complete ? (
        <ToneMark tone="done" icon="done">
          {t('serial.record.complete')}
        </ToneMark>
      ) : (
        <ToneMark tone={tone} icon={tone}>
          {t('serial.record.lacks', { count: lacking })}
        </ToneMark>
      )}
    </a>
  )
}
