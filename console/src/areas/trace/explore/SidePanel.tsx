import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { useRich, useText } from '@/i18n'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { type Column, DataTable } from '@/ui/DataTable'
import { type Fact, Facts } from '@/ui/Facts'
import { Go } from '@/ui/Go'
import { Moment } from '@/ui/Moment'
import { StatusMark } from '@/ui/StatusMark'
import { peopleQuery, placeQuery, unitQuery } from '../queries'
import { detailOf, isInside, placeOf, type RecalledUnit } from '../recall/groups'
import { traceOf } from './address'
import { codeOf } from './names'
import type { FoldEntry } from './opened'
import { stateWord, UnitMark } from './UnitMark'
import type { Unit, Web } from './web'

interface SidePanelProps {
  readonly web: Web
  readonly at: string
  /** Several equal units, if they are selected. */
  readonly fold: FoldEntry | undefined
  readonly onSelect: (id: string) => void
}

/** The facts of what is selected. */
export function SidePanel({ web, at, fold, onSelect }: SidePanelProps) {
  const t = useText()
  const unit = web.units.get(at)
  return (
    <aside className="tw-trace-panel" aria-label={t('trace.panel.label')}>
      {fold ? <FoldPart web={web} fold={fold} onSelect={onSelect} /> : unit && <UnitPart web={web} unit={unit} />}
    </aside>
  )
}

function UnitPart({ web, unit }: { web: Web; unit: Unit }) {
  const t = useText()
  const { node } = unit
  return (
    <>
      <h2>{node.code === null ? codeOf(t, node) : <Code>{node.code}</Code>}</h2>
      <UnitMark unit={unit} look="tag" />
      {node.type === 'batch' && <p>{t('trace.panel.batch')}</p>}
      <UnitFacts key={node.id} web={web} unit={unit} />
      <Actions unit={unit} />
    </>
  )
}

function UnitFacts({ web, unit }: { web: Web; unit: Unit }) {
  const t = useText()
  const { can } = useSession()
  const { node } = unit
  const key = node.serial_key ?? ''
  const details = useQuery({ ...unitQuery(key), enabled: key !== '' && can('serial:read') })
  const place = useQuery({ ...placeQuery(key), enabled: key !== '' })
  const found = details.data
  const product = (
    <>
      <Code bare to={can('product:catalogue:read') ? `/product/${encodeURIComponent(node.product_key)}` : undefined}>
        {node.product_code}
      </Code>
      {node.product_description && <div className="tw-trace-faint">{node.product_description}</div>}
    </>
  )
  const order = found?.wo_key && found.wo_code && (
    <Code bare to={can('production:work-order:read') ? `/order/${encodeURIComponent(found.wo_key)}` : undefined}>
      {found.wo_code}
    </Code>
  )
  const facts: Fact[] = [
    { label: t('trace.panel.product'), value: product },
    { label: t('trace.panel.place'), value: place.data && <Whereabouts unit={place.data} of={key} /> },
    { label: t('trace.panel.order'), value: order },
    { label: t('trace.panel.project'), value: found?.project_code },
    {
      label: found?.wo_key === null ? t('trace.panel.received') : t('trace.panel.made'),
      value: found && <Moment at={found.created} as="date" />,
    },
    { label: t('trace.panel.released'), value: found?.released && <Moment at={found.released} as="date" /> },
    { label: t('trace.panel.scrapped'), value: found?.scrapped && <Moment at={found.scrapped} as="date" /> },
    ...useLinkFacts(web, unit),
  ]
  return <Facts facts={facts} />
}

/** Where a unit is: of the outermost unit around it, as nothing else has a place. */
function Whereabouts({ unit, of }: { unit: RecalledUnit; of: string }) {
  const rich = useRich()
  const t = useText()
  const place = placeOf(unit)
  const where = detailOf(t, unit)
  const outer = isInside(unit) || unit.serial_key !== of ? (unit.root_serial_code ?? unit.serial_code) : null
  return (
    <>
      <StatusMark of="place" state={place} />
      {where !== null && <div>{where}</div>}
      {outer !== null && (
        <div className="tw-trace-faint">
          {rich('trace.panel.in', {
            unit: (
              <Code
                bare
                to={unit.root_serial_key === null ? undefined : `/serial/${encodeURIComponent(unit.root_serial_key)}`}
              >
                {outer}
              </Code>
            ),
          })}
        </div>
      )}
    </>
  )
}

function useLinkFacts(web: Web, unit: Unit): Fact[] {
  const t = useText()
  const { can } = useSession()
  const people = useQuery(peopleQuery(can('org:user:read')))
  const start = web.units.get(web.start)?.node
  const { link, side, level } = unit
  if (side === 'start' || !start) return []
  const code = codeOf(t, start)
  const who = link?.linked_by == null ? undefined : people.data?.get(link.linked_by)
  const linked: ReactNode =
    link?.confirmed === false
      ? t('trace.panel.temporary')
      : link?.linked && (
          <>
            <Moment at={link.linked} as="date" />
            {who !== undefined && <div className="tw-trace-faint">{t('trace.panel.link.by', { name: who })}</div>}
          </>
        )
  return [
    { label: t('trace.panel.link'), value: linked },
    { label: t('trace.panel.unlinked'), value: link?.unlinked && <Moment at={link.unlinked} as="date" /> },
    { label: t('trace.panel.reason'), value: link?.reason },
    { label: t('trace.panel.level'), value: t(`trace.panel.level.${side}`, { count: level, code }) },
  ]
}

function Actions({ unit: { node, side } }: { unit: Unit }) {
  const t = useText()
  const { can } = useSession()
  const key = node.serial_key
  const batch = node.batch_key
  return (
    <div className="tw-trace-actions">
      {key !== null && can('serial:read') && (
        <Button component={Go} variant="default" to={`/serial/${encodeURIComponent(key)}`}>
          {t('trace.panel.open')}
        </Button>
      )}
      {key !== null && side !== 'start' && (
        <Button component={Go} variant="default" to={traceOf(key)}>
          {t('trace.panel.trace')}
        </Button>
      )}
      {node.wo_key !== null && batch !== null && can('production:work-order:read') && (
        <Button component={Go} variant="default" to={`/order/${encodeURIComponent(node.wo_key)}`}>
          {t('trace.panel.order.open')}
        </Button>
      )}
      <Button
        component={Go}
        variant="subtle"
        to={
          key === null
            ? `/recall?batch=${encodeURIComponent(batch ?? '')}`
            : `/recall?serial=${encodeURIComponent(key)}`
        }
      >
        {t('trace.panel.recall')}
      </Button>
    </div>
  )
}

interface Member {
  readonly id: string
  readonly unit: Unit
}

function FoldPart({ web, fold, onSelect }: { web: Web; fold: FoldEntry; onSelect: (id: string) => void }) {
  const t = useText()
  const { node } = fold.sample
  const members = useMemo(
    () =>
      fold.members.flatMap((id): Member[] => {
        const unit = web.units.get(id)
        return unit ? [{ id, unit }] : []
      }),
    [web, fold],
  )
  const columns = useMemo<Column<Member>[]>(
    () => [
      {
        id: 'code',
        head: t('trace.table.code'),
        text: ({ unit }) => unit.node.code,
        cell: ({ unit }) => (unit.node.code === null ? codeOf(t, unit.node) : <Code bare>{unit.node.code}</Code>),
      },
      {
        id: 'state',
        head: t('trace.table.state'),
        text: ({ unit }) => stateWord(t, unit),
        cell: ({ unit }) => <UnitMark unit={unit} />,
        width: 130,
      },
    ],
    [t],
  )
  return (
    <>
      <h2>{t('ui.tree.group', { count: fold.members.length, name: node.product_code })}</h2>
      <p className="tw-trace-faint">{node.product_description}</p>
      <DataTable
        name="trace-fold"
        label={t('trace.panel.fold')}
        plain
        height={360}
        columns={columns}
        rows={members}
        rowKey={({ id }) => id}
        onOpen={({ id }) => onSelect(id)}
      />
    </>
  )
}
