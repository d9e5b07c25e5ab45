import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useFormats, useText } from '@/i18n'
import type { HitKind } from '@/scan'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { Empty } from '@/ui/Empty'
import { Go } from '@/ui/Go'
import { LoadFailed } from '@/ui/LoadFailed'
import { PageHead } from '@/ui/PageHead'
import { Lines } from '@/ui/Skeletons'
import { Box } from './Box'
import type { Found } from './find'
import { Glance, hasGlance } from './glance'
import { type EntryGroup, entryOf, Hits } from './Hits'
import { pageOf } from './kinds'
import { meaningOf } from './meaning'
import { Nothing } from './nothing'
import type { Group } from './rank'
import { readRecent } from './recent'
import { searchRoute } from './routes'
import { type Finding, useFind, useSearchable, useSettled } from './use-find'
import { useWalk } from './walk'
import './search.css'

/** How many hits of a kind are shown among others, and alone. */
const SOME = 8
const MANY = 60

/** What stands in the box follows the address, and the other way round once nobody types. */
function useTyped(q: string, kind: HitKind | undefined) {
  const navigate = useNavigate()
  const [typed, setTyped] = useState(q)
  const settled = useSettled(typed, 200)
  const written = useRef(q)
  useEffect(() => {
    if (settled === written.current) return
    written.current = settled
    void navigate({ to: '/search', search: { q: settled || undefined, in: kind }, replace: true })
  }, [settled, kind, navigate])
  useEffect(() => {
    if (q === written.current) return
    written.current = q
    setTyped(q)
  }, [q])
  return { typed, setTyped, settled }
}

function searchAddress(q: string, kind?: HitKind): string {
  const params = new URLSearchParams({ q, ...(kind && { in: kind }) })
  return `/search?${params}`
}

/** All kinds, or one of them. */
function Kinds({ q, kind, groups }: { q: string; kind: HitKind | undefined; groups: readonly Group<Found>[] }) {
  const t = useText()
  const formats = useFormats()
  const kinds = useSearchable()
  const totals = new Map(groups.map((group) => [group.kind, group.total ?? group.hits.length]))
  return (
    <nav className="tw-search-kinds" aria-label={t('search.kinds')}>
      <Go to={searchAddress(q)} aria-current={kind === undefined ? 'page' : undefined}>
        {t('search.everything')}
      </Go>
      {kinds.map((one) => (
        <Go key={one} to={searchAddress(q, one)} aria-current={kind === one ? 'page' : undefined}>
          {t(`search.kind.${one}`)}
          {totals.has(one) && <span>{formats.number(totals.get(one) ?? 0)}</span>}
        </Go>
      ))}
    </nav>
  )
}

/** What a GS1 code says, part by part. */
function Read({ q }: { q: string }) {
  const t = useText()
  const { parts } = meaningOf(q, window.location.origin)
  if (parts.length === 0) return null
  const known = { '00': 'sscc', '01': 'gtin', '10': 'lot', '21': 'serial' } as const
  const name = (ai: string) => (ai in known ? t(`search.gs1.${known[ai as keyof typeof known]}`) : `(${ai})`)
  return (
    <p className="tw-search-read">
      {t('search.gs1')}{' '}
      {parts.map(({ ai, value }, at) => (
        <span key={ai}>
          {at > 0 && ' · '}
          {name(ai)} <Code bare>{value}</Code>
        </span>
      ))}
    </p>
  )
}

function groupsFor(t: ReturnType<typeof useText>, listId: string, { groups, exact, text }: Finding): EntryGroup[] {
  const entries = (hits: readonly Found[]) => hits.map((hit) => entryOf(listId, hit))
  const rest = groups.map((group) => ({
    title: t(`search.kind.${group.kind}`),
    total: group.total,
    entries: entries(group.hits.filter((hit) => !exact.includes(hit))),
  }))
  const first = { title: t('search.exact', { count: exact.length, code: text }), total: null, entries: entries(exact) }
  return [first, ...rest].filter(({ entries: some }) => some.length > 0)
}

function useRecentEntries(listId: string): EntryGroup[] {
  const t = useText()
  const { user_key } = useSession()
  const entries = readRecent(user_key).map(({ kind, key, title }) => ({
    id: `${listId}-${kind}-${key}`,
    to: pageOf(kind, key),
    kind,
    code: kind === 'issue' || kind === 'task' ? null : title,
    name: kind === 'issue' || kind === 'task' ? title : null,
    details: [],
  }))
  return entries.length === 0 ? [] : [{ title: t('search.recent'), total: null, entries }]
}

function Say({ finding, kind, recent }: { finding: Finding; kind: HitKind | undefined; recent: boolean }): ReactNode {
  const t = useText()
  const { text, groups, busy, failed } = finding
  if (text === '') {
    return recent ? null : (
      <Empty icon="search" title={t('search.begin.title')}>
        {t('search.begin')}
      </Empty>
    )
  }
  if (groups.length > 0) return null
  if (busy) return <Lines count={6} />
  return failed.length > 0 ? null : <Nothing text={text} kind={kind} />
}

export default function SearchPage() {
  const t = useText()
  const { q = '', in: kind } = searchRoute.useSearch()
  const listId = useId()
  const { typed, setTyped, settled } = useTyped(q, kind)
  const searchable = useSearchable()
  const kinds = kind === undefined ? searchable : searchable.filter((one) => one === kind)
  const finding = useFind(settled, kinds, kind === undefined ? SOME : MANY)
  const recent = useRecentEntries(listId)
  const shown = finding.text === '' ? recent : groupsFor(t, listId, finding)
  const walk = useWalk({ stops: shown.flatMap(({ entries }) => entries) })
  const [free] = useState(() => !isWriting(typed))
  const [only] = finding.exact.length === 1 ? finding.exact : []
  const glance = only && hasGlance(only.kind) ? only : undefined
  const change = (next: string) => {
    walk.forget()
    setTyped(next)
  }
  return (
    <>
      <PageHead title={finding.text === '' ? t('search.title') : t('search.titleFor', { text: finding.text })} />
      <div className="tw-search-page">
        <Box
          value={typed}
          onChange={change}
          onKeyDown={walk.onKeyDown}
          listId={listId}
          current={walk.current}
          expanded={shown.length > 0}
          focused={free}
        />
        <Read q={settled} />
        <Kinds q={settled} kind={kind} groups={finding.groups} />
        <Hits
          id={listId}
          label={t('search.results')}
          groups={shown}
          typed={finding.text}
          current={walk.current}
          stale={finding.busy}
          onPoint={walk.point}
        />
        <Say finding={finding} kind={kind} recent={recent.length > 0} />
        {finding.failed.map(({ kind: one, error, retry }) => (
          <LoadFailed key={one} error={error} onRetry={retry} />
        ))}
        <Lists text={finding.text} groups={finding.groups} />
        {glance && <Glance kind={glance.kind} of={glance.key} />}
      </div>
    </>
  )
}

/** The same hits as a list with filters and export. */
function Lists({ text, groups }: { text: string; groups: readonly Group<Found>[] }) {
  const t = useText()
  const serials = groups.find(({ kind }) => kind === 'serial')
  if (serials === undefined || (serials.total ?? 0) <= serials.hits.length) return null
  return (
    <p className="tw-search-lists">
      <Go to={`/serial?code=${encodeURIComponent(text)}`}>
        {t('search.asList', { count: serials.total ?? serials.hits.length })}
      </Go>
    </p>
  )
}

/** Whether something else is being typed already: the page came later than the first letters in the scan box. */
function isWriting(searched: string): boolean {
  const active = document.activeElement
  return active instanceof HTMLInputElement && active.value !== '' && active.value.trim() !== searched.trim()
}
