import { Button, Checkbox, SegmentedControl } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { failureOf } from '@/api'
import { useFormats, useText } from '@/i18n'
import { useSession } from '@/session'
import { DataTable } from '@/ui/DataTable'
import { Empty } from '@/ui/Empty'
import { LoadFailed } from '@/ui/LoadFailed'
import { Section } from '@/ui/Section'
import { Lines } from '@/ui/Skeletons'
import { StatusMark } from '@/ui/StatusMark'
import { NARROW } from '../narrow'
import { recallRoute } from '../routes'
import { customerWords, recallColumns } from './columns'
import { type Group, groupsOf, type RecalledUnit, suspectsIn, unitId } from './groups'
import { codesQuery, type Far, type Recall } from './queries'
import type { Place } from './selection'
import type { SuspectsState } from './use-suspects'
import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'

/** So many customers are named where the shipped units are counted. */
const CUSTOMERS = 3

interface AffectedProps {
  readonly recall: Recall | undefined
  readonly error: unknown
  readonly far: Far | undefined
  readonly suspects: SuspectsState
  readonly onRetry: () => void
}

/** The affected units: how many are where, then which. */
export function Affected({ recall, error, far, suspects, onRetry }: AffectedProps) {
  const t = useText()
  return (
    <Section title={t('trace.recall.affected')} actions={<Options />}>
      {error !== undefined && recall === undefined && <Failed error={error} suspects={suspects} onRetry={onRetry} />}
      {error === undefined && recall === undefined && <Waiting far={far} />}
      {recall && recall.units.length === 0 && (
        <Empty icon="search" title={t('trace.recall.none')}>
          {t('trace.recall.none.text')}
        </Empty>
      )}
      {recall && recall.units.length > 0 && <Units units={recall.units} />}
    </Section>
  )
}

function Options() {
  const t = useText()
  const { rows, replaced } = recallRoute.useSearch()
  const navigate = recallRoute.useNavigate()
  return (
    <div className="tw-recall-options">
      <Checkbox
        label={t('trace.recall.replaced')}
        checked={replaced === true}
        onChange={({ currentTarget: { checked } }) =>
          void navigate({ search: (old) => ({ ...old, replaced: checked ? true : undefined, place: undefined }) })
        }
      />
      <SegmentedControl
        aria-label={t('trace.recall.rows')}
        size="xs"
        value={rows ?? 'roots'}
        onChange={(value) =>
          void navigate({
            search: (old) => ({ ...old, rows: value === 'all' ? ('all' as const) : undefined, place: undefined }),
          })
        }
        data={(['roots', 'all'] as const).map((value) => ({ value, label: t(`trace.recall.rows.${value}`) }))}
      />
    </div>
  )
}

/** Suspects that do not exist any more are named by the service: one can go on without them. */
function Failed({ error, suspects, onRetry }: { error: unknown; suspects: SuspectsState; onRetry: () => void }) {
  const t = useText()
  const { unknown } = failureOf(error).data
  const gone = Array.isArray(unknown) ? unknown.filter((key) => suspects.keys.includes(String(key))).map(String) : []
  if (gone.length === 0) return <LoadFailed error={error} onRetry={onRetry} />
  return (
    <Empty
      icon="unknown"
      title={t('trace.recall.gone', { count: gone.length })}
      action={<Button onClick={() => suspects.remove(gone)}>{t('trace.recall.gone.remove')}</Button>}
    >
      {failureOf(error).message}
    </Empty>
  )
}

function Waiting({ far }: { far: Far | undefined }) {
  const t = useText()
  return (
    <>
      <p className="tw-recall-note" role="status">
        {t('trace.recall.loading')}
        {far && ` · ${t(`trace.recall.loading.${far.what}`, { count: far.count })}`}
      </p>
      <Lines count={8} />
    </>
  )
}

function Units({ units }: { units: readonly RecalledUnit[] }) {
  const t = useText()
  const { can } = useSession()
  const { place, rows } = recallRoute.useSearch()
  const groups = useMemo(() => groupsOf(units), [units])
  const shown = useMemo(
    () =>
      (place === undefined
        ? groups.flatMap((group) => group.units)
        : groups.find((one) => one.place === place)?.units) ?? [],
    [groups, place],
  )
  const suspects = useMemo(() => suspectsIn(units, 300), [units])
  const codes = useQuery(codesQuery(suspects, can('serial:read')))
  const narrow = useMediaQuery(NARROW, undefined, { getInitialValueInEffect: false })
  const columns = useMemo(() => recallColumns(t, codes.data, rows === 'all', narrow), [t, codes.data, rows, narrow])
  return (
    <DataTable
      name="recall"
      label={t('trace.recall.affected')}
      columns={columns}
      rows={shown}
      rowKey={unitId}
      to={(unit) => pageOf(unit, can)}
    >
      <Places groups={groups} total={units.length} />
    </DataTable>
  )
}

function pageOf(unit: RecalledUnit, can: ReturnType<typeof useSession>['can']): string | undefined {
  if (unit.serial_key !== null) return can('serial:read') ? `/serial/${unit.serial_key}` : undefined
  return unit.wo_key !== null && can('production:work-order:read') ? `/order/${unit.wo_key}` : undefined
}

/** Counts by where the units are; each lists only its own. */
function Places({ groups, total }: { groups: readonly Group[]; total: number }) {
  const t = useText()
  const formats = useFormats()
  const { place } = recallRoute.useSearch()
  const scrapped = groups.some((group) => group.place === 'scrapped')
  const navigate = recallRoute.useNavigate()
  const choose = (next: Place | undefined) =>
    void navigate({ search: (old) => ({ ...old, place: next === place ? undefined : next }), replace: true })
  return (
    <fieldset className="tw-recall-places" aria-label={t('trace.recall.places')}>
      {groups.map((group) => (
        <button
          key={group.place}
          type="button"
          aria-pressed={place === group.place}
          onClick={() => choose(group.place)}
        >
          <b>{formats.number(group.units.length)}</b>
          <StatusMark of="place" state={group.place} />
          {group.place === 'shipped' && (
            <small title={customerWords(t, formats, group.units)}>
              {customerWords(t, formats, group.units, CUSTOMERS)}
            </small>
          )}
        </button>
      ))}
      {groups.length > 1 && (
        <button type="button" aria-pressed={place === undefined} onClick={() => choose(undefined)}>
          <b>{formats.number(total)}</b>
          <span>{t(scrapped ? 'trace.recall.place.all.scrapped' : 'trace.recall.place.all')}</span>
        </button>
      )}
    </fieldset>
  )
}
