import { Fragment, type MouseEvent, type ReactNode, useId } from 'react'
import { useFormats, useText } from '@/i18n'
import type { HitKind } from '@/scan'
import { dueDay, isDay } from '@/ui/days'
import { Go, useGo, wantsTab } from '@/ui/Go'
import { Icon } from '@/ui/icons'
import { StatusMark } from '@/ui/StatusMark'
import type { Detail, Found, FoundState } from './find'
import { ICONS, pageOf } from './kinds'
import { matchIn } from './rank'
import type { Stop } from './walk'

/** Everything that can be walked to. */
export interface Entry extends Stop {
  readonly kind: HitKind
  readonly code: string | null
  readonly name: string | null
  readonly details: readonly Detail[]
  readonly state?: Found['state']
}

export interface EntryGroup {
  readonly title: string
  readonly total: number | null
  readonly entries: readonly Entry[]
}

export function entryOf(listId: string, hit: Found): Entry {
  const { kind, key, code, name, details, state } = hit
  return { id: `${listId}-${kind}-${key}`, to: pageOf(kind, key), kind, code, name, details, state }
}

function Matched({ text, typed }: { text: string; typed: string }) {
  const [before, match, behind] = matchIn(text, typed)
  return (
    <>
      {before}
      {match !== '' && <mark>{match}</mark>}
      {behind}
    </>
  )
}

function DetailText({ detail }: { detail: Detail }) {
  const t = useText()
  const formats = useFormats()
  switch (detail.label) {
    case 'product':
      return (
        <>
          <span className="tw-code">{detail.code}</span> {detail.text}
        </>
      )
    case 'order':
      return <span className="tw-code">{detail.code}</span>
    case 'in':
      return (
        <>
          {t('search.detail.about')} <span className="tw-code">{detail.code}</span>
        </>
      )
    case 'type':
      return detail.code
    case 'inactive':
    case 'outside':
    case 'carrier':
      return t(`search.detail.${detail.label}`)
    case 'due': {
      const day = dueDay(detail.at)
      return (
        <span title={formats.exact(day)}>
          {t('search.detail.due', { when: isDay(day) ? formats.date(day) : formats.relative(day) })}
        </span>
      )
    }
    default:
      return (
        <span title={formats.exact(detail.at)}>
          {t(`search.detail.${detail.label}`, { when: formats.relative(detail.at) })}
        </span>
      )
  }
}

function State({ of }: { of: FoundState }) {
  switch (of.of) {
    case 'serial':
      return <StatusMark of="serial" state={of.state} />
    case 'place':
      return <StatusMark of="place" state={of.state} />
    case 'order':
      return <StatusMark of="order" state={of.state} />
    case 'task':
      return <StatusMark of="task" state={of.state} />
    default:
      return <StatusMark of="issue" state={of.state} />
  }
}

function EntryLine({ entry, typed }: { entry: Entry; typed: string }) {
  return (
    <>
      <Icon name={ICONS[entry.kind]} size={18} />
      <span className="tw-hit-main">
        <span className="tw-hit-title">
          {entry.code !== null && (
            <span className="tw-code">
              <Matched text={entry.code} typed={typed} />
            </span>
          )}
          {entry.name && (
            <span className="tw-hit-name">
              <Matched text={entry.name} typed={typed} />
            </span>
          )}
        </span>
        {entry.details.length > 0 && (
          <span className="tw-hit-details">
            {entry.details.map((detail, at) => (
              <Fragment key={detail.label}>
                {at > 0 && ' · '}
                <DetailText detail={detail} />
              </Fragment>
            ))}
          </span>
        )}
      </span>
      {entry.state && (
        <span className="tw-hit-state">
          <State of={entry.state} />
        </span>
      )}
    </>
  )
}

interface HitsProps {
  readonly id: string
  readonly label: string
  readonly groups: readonly EntryGroup[]
  readonly typed: string
  readonly current: string | undefined
  readonly stale: boolean
  readonly onPoint: (id: string) => void
  readonly onOpen?: (() => void) | undefined
}

/** The hits in their groups: a list box that is walked from the search box. */
export function Hits({ id, label, groups, typed, current, stale, onPoint, onOpen }: HitsProps) {
  const go = useGo()
  const open = (event: MouseEvent, to: string) => {
    if (wantsTab(event)) return void window.open(to, '_blank', 'noopener')
    onOpen?.()
    go(to)
  }
  return (
    <div className="tw-hits" id={id} role="listbox" aria-label={label} data-stale={stale || undefined}>
      {groups.map((group) => (
        <HitGroup key={group.title} group={group}>
          {group.entries.map((entry) => (
            <div
              key={entry.id}
              id={entry.id}
              role="option"
              tabIndex={-1}
              aria-selected={entry.id === current}
              className="tw-hit"
              onClick={(event) => open(event, entry.to)}
              onKeyDown={(event) => event.key === 'Enter' && go(entry.to)}
              onPointerMove={() => entry.id !== current && onPoint(entry.id)}
            >
              <EntryLine entry={entry} typed={typed} />
            </div>
          ))}
        </HitGroup>
      ))}
    </div>
  )
}

function HitGroup({ group, children }: { group: EntryGroup; children: ReactNode }) {
  const id = useId()
  const formats = useFormats()
  return (
    <fieldset aria-labelledby={id} className="tw-hit-group">
      <div className="tw-hit-head" id={id}>
        {group.title}
        {group.total !== null && <span className="tw-hit-total">{formats.number(group.total)}</span>}
      </div>
      {children}
    </fieldset>
  )
}

/** Hits as links, where no box walks them. */
export function HitLinks({ id, hits, typed }: { id: string; hits: readonly Found[]; typed: string }) {
  return (
    <div className="tw-hits">
      {hits.map((hit) => {
        const entry = entryOf(id, hit)
        return (
          <Go key={entry.id} className="tw-hit" to={entry.to}>
            <EntryLine entry={entry} typed={typed} />
          </Go>
        )
      })}
    </div>
  )
}
