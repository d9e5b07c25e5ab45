import { Modal } from '@mantine/core'
import { useId, useLayoutEffect, useMemo, useState } from 'react'
import { useText } from '@/i18n'
import { searchPage } from '@/scan'
import { useSession } from '@/session'
import { Go, useGo } from '@/ui/Go'
import { Lines } from '@/ui/Skeletons'
import { Box } from './Box'
import { type EntryGroup, entryOf, Hits } from './Hits'
import { pageOf } from './kinds'
import { readRecent } from './recent'
import { useFind, useSearchable, useSettled } from './use-find'
import { useWalk } from './walk'
import './search.css'

/** How many hits of a kind the overlay shows. */
const FEW = 5

function useRecentGroup(listId: string): EntryGroup[] {
  const t = useText()
  const { user_key } = useSession()
  const kinds = useSearchable()
  return useMemo(() => {
    const entries = readRecent(user_key)
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ kind, key, title }) => {
        const named = kind === 'issue' || kind === 'task'
        const words = named ? { code: null, name: title } : { code: title, name: null }
        return { id: `${listId}-recent-${kind}-${key}`, to: pageOf(kind, key), kind, ...words, details: [] }
      })
    return entries.length === 0 ? [] : [{ title: t('search.recent'), total: null, entries }]
  }, [user_key, kinds, listId, t])
}

function Keys() {
  const t = useText()
  return (
    <span className="tw-search-keys">
      <kbd>↑</kbd>
      <kbd>↓</kbd> {t('search.keys.walk')} <kbd>Enter</kbd>
      {t('search.keys.open')} <kbd>Esc</kbd>
      {t('search.keys.close')}
    </span>
  )
}

function Search({ onClose, takeEarly }: Omit<OverlayProps, 'opened'>) {
  const t = useText()
  const go = useGo()
  const listId = useId()
  const [typed, setTyped] = useState('')
  // The box has taken the focus by now; what came before stands in it before the next key does.
  useLayoutEffect(() => {
    const before = takeEarly()
    if (before !== '') setTyped((typedSince) => before + typedSince)
  }, [takeEarly])
  const settled = useSettled(typed, 120)
  const kinds = useSearchable()
  const { groups, text, busy, failed } = useFind(settled, kinds, FEW)
  const recent = useRecentGroup(listId)
  const found = groups.map((group) => ({
    title: t(`search.kind.${group.kind}`),
    total: group.total,
    entries: group.hits.map((hit) => entryOf(listId, hit)),
  }))
  const shown = text === '' ? recent : found
  const all = () => {
    onClose()
    go(searchPage(typed.trim()))
  }
  const walk = useWalk({ stops: shown.flatMap(({ entries }) => entries), onNone: all, onOpen: onClose })
  const change = (next: string) => {
    walk.forget()
    setTyped(next)
  }
  return (
    <div className="tw-search-over">
      <Box
        value={typed}
        onChange={change}
        onKeyDown={walk.onKeyDown}
        listId={listId}
        current={walk.current}
        expanded={shown.length > 0}
        focused
      />
      <div className="tw-search-scroll">
        <Hits
          id={listId}
          label={t('search.results')}
          groups={shown}
          typed={text}
          current={walk.current}
          stale={busy}
          onPoint={walk.point}
          onOpen={onClose}
        />
        {text === '' && recent.length === 0 && <p className="tw-search-say">{t('search.begin')}</p>}
        {text !== '' && busy && shown.length === 0 && <Lines count={4} />}
        {text !== '' && !busy && shown.length === 0 && failed.length === 0 && (
          <p className="tw-search-say" role="status">
            {t('search.nothing', { text })}
          </p>
        )}
        {failed.length > 0 && (
          <p className="tw-search-say" role="alert">
            {t('search.partly', { kinds: failed.map(({ kind }) => t(`search.kind.${kind}`)).join(', ') })}
          </p>
        )}
      </div>
      <div className="tw-search-foot">
        <Keys />
        <Go to={searchPage(typed.trim())} onClick={onClose}>
          {t('search.all')}
        </Go>
      </div>
    </div>
  )
}

interface OverlayProps {
  readonly opened: boolean
  readonly onClose: () => void
  /** What was typed before the box was there. */
  readonly takeEarly: () => string
}

/** Search over whatever page is open. */
export default function SearchOverlay({ opened, onClose, takeEarly }: OverlayProps) {
  const t = useText()
  return (
    <Modal.Root opened={opened} onClose={onClose} size={680} padding={0} yOffset="10vh" centered={false}>
      <Modal.Overlay backgroundOpacity={0.35} />
      <Modal.Content aria-label={t('search.title')}>
        <Modal.Body>
          <Search onClose={onClose} takeEarly={takeEarly} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
