import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Suspense, useCallback, useMemo, useState } from 'react'
import { failureOf } from '@/api'
import { Boundary } from '@/app/errors'
import { lately } from '@/app/later'
import { useShortcut } from '@/app/shortcuts'
import { useText } from '@/i18n'
import { useLive } from '@/live'
import { Empty } from '@/ui/Empty'
import { LoadFailed } from '@/ui/LoadFailed'
import { PageHead } from '@/ui/PageHead'
import { Lines } from '@/ui/Skeletons'
import { traceQuery } from '../queries'
import { traceRoute } from '../routes'
import { shippedQuery } from '../shipped'
import { nextView } from './address'
import { ExplorerHead, ViewLine } from './Head'
import { useOpened } from './memory'
import { type Entry, reveal, shownEntries } from './opened'
import { PathBar } from './PathBar'
import { SidePanel } from './SidePanel'
import { TableView } from './TableView'
import { TreeView } from './TreeView'
import { releasedIn, type Trace, type Web, webOf } from './web'
import './explore.css'

const GraphView = lately(() => import('./GraphView'))

/** The trace of one unit: graph, tree or table, and the facts of what is selected. */
export function Explorer({ serial }: { serial: string }) {
  const t = useText()
  const { as_of, replaced, side } = traceRoute.useSearch()
  const trace = useQuery(traceQuery(serial, { as_of, replaced, side }))
  const released = useMemo(() => (trace.data ? releasedIn(trace.data) : []), [trace.data])
  const shipped = useQuery(shippedQuery(released)).data
  const web = useMemo(() => (trace.data ? webOf(trace.data, shipped) : undefined), [trace.data, shipped])
  useLive(['serial'], ({ serial_key, serial_keys }) =>
    [serial_key, ...(serial_keys ?? [])].some((key) => key !== undefined && web?.units.has(`Serial/${key}`)),
  )
  const known = trace.isError ? undefined : web
  const notYet = as_of !== undefined && trace.isError && failureOf(trace.error).status === 404
  const name = [serial, as_of, replaced, side].join('|')
  return (
    <div className="tw-trace">
      {known ? <ExplorerHead web={known} /> : <PageHead title={t('pages.trace')} />}
      {/* It stays while another moment is read, for somebody may be typing that. */}
      {(notYet || !trace.isError) && <ViewLine />}
      {trace.isPending && <Lines count={6} />}
      {notYet && <NotYet />}
      {trace.isError && !notYet && <LoadFailed error={trace.error} onRetry={() => void trace.refetch()} />}
      {known && trace.data && <Explored key={name} name={name} trace={trace.data} web={known} />}
    </div>
  )
}

function Explored({ name, trace, web }: { name: string; trace: Trace; web: Web }) {
  const search = traceRoute.useSearch()
  const navigate = traceRoute.useNavigate()
  const { opened, setOpened } = useOpened(name, web, search.at)
  const [fold, setFold] = useState<string>()
  const view = search.view ?? 'graph'
  useShortcut('v', 'trace.view.next', () => {
    const next = nextView(view)
    void navigate({ search: (old) => ({ ...old, view: next === 'graph' ? undefined : next }), replace: true })
  })
  const selectUnit = useCallback(
    (id: string) => {
      setFold(undefined)
      void navigate({ search: (old) => ({ ...old, at: id === web.start ? undefined : id }), replace: true })
    },
    [navigate, web],
  )
  const select = useCallback(
    (entry: Entry) => (entry.kind === 'fold' ? setFold(entry.id) : selectUnit(entry.id)),
    [selectUnit],
  )
  const reach = (id: string) => {
    setOpened(reveal(web, opened, id))
    selectUnit(id)
  }
  const at = search.at !== undefined && web.units.has(search.at) ? search.at : web.start
  const entries = useMemo(() => shownEntries(web, opened), [web, opened])
  const folded = entries.find((entry) => entry.id === fold)
  return (
    <>
      <Notices trace={trace} />
      <div className="tw-trace-body">
        <div className="tw-trace-main">
          <PathBar web={web} at={at} onGo={reach} />
          <div className="tw-trace-view">
            {web.units.size === 1 && view === 'graph' ? (
              <Alone />
            ) : (
              <>
                {view === 'graph' && (
                  <Boundary>
                    <Suspense fallback={<Lines count={6} />}>
                      <GraphView
                        web={web}
                        opened={opened}
                        onOpened={setOpened}
                        selected={folded?.id ?? at}
                        onSelect={select}
                      />
                    </Suspense>
                  </Boundary>
                )}
                {view === 'tree' && <TreeView web={web} selected={at} onSelect={reach} />}
                {view === 'table' && <TableView web={web} onSelect={reach} />}
              </>
            )}
          </div>
        </div>
        <SidePanel web={web} at={at} fold={folded?.kind === 'fold' ? folded : undefined} onSelect={reach} />
      </div>
    </>
  )
}

/** At the chosen moment there was no such unit. */
function NotYet() {
  const t = useText()
  const navigate = traceRoute.useNavigate()
  const today = () => void navigate({ search: (old) => ({ ...old, as_of: undefined }), replace: true })
  return (
    <Empty
      icon="clock"
      title={t('trace.notYet')}
      action={
        <Button variant="default" onClick={today}>
          {t('trace.asOf.clear')}
        </Button>
      }
    />
  )
}

/** Nothing to draw: says so, and where to look next. */
function Alone() {
  const t = useText()
  const { as_of, replaced } = traceRoute.useSearch()
  const navigate = traceRoute.useNavigate()
  const showReplaced = () => void navigate({ search: (old) => ({ ...old, replaced: true }), replace: true })
  return (
    <Empty
      icon="trace"
      title={as_of === undefined ? t('trace.alone') : t('trace.alone.asOf')}
      action={
        as_of === undefined &&
        !replaced && (
          <Button variant="default" onClick={showReplaced}>
            {t('trace.alone.replaced')}
          </Button>
        )
      }
    >
      {as_of === undefined && (replaced ? t('trace.alone.text') : t('trace.alone.now'))}
    </Empty>
  )
}

function Notices({ trace }: { trace: Trace }) {
  const t = useText()
  const { side } = traceRoute.useSearch()
  const navigate = traceRoute.useNavigate()
  const only = (next: 'from' | 'to' | undefined) => void navigate({ search: (old) => ({ ...old, side: next }) })
  if (side !== undefined) {
    return (
      <p className="tw-trace-notice">
        {t(`trace.onlySide.${side}`)}{' '}
        <Button variant="subtle" size="compact-sm" onClick={() => only(undefined)}>
          {t('trace.onlySide.both')}
        </Button>
      </p>
    )
  }
  if (!trace.truncated) return null
  return (
    <p className="tw-trace-notice" role="status">
      {t('trace.truncated', { count: trace.nodes.length })}{' '}
      {(['from', 'to'] as const).map((one) => (
        <Button key={one} variant="subtle" size="compact-sm" onClick={() => only(one)}>
          {t(`trace.truncated.${one}`)}
        </Button>
      ))}
    </p>
  )
}
