import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { queryClient } from '@/api/query'
import { useText } from '@/i18n'
import { type Topic, useLive } from '@/live'
import { hub } from '@/live/browser'
import { Code } from '@/ui/Code'
import { LoadFailed } from '@/ui/LoadFailed'
import { Moment } from '@/ui/Moment'
import { Lines } from '@/ui/Skeletons'
import { StatusMark } from '@/ui/StatusMark'
import { Block, Calm, ROWS, Row, Rows } from '../Block'
import { lackText } from '../lack'
import { unitsQuery } from '../queries'
import { type Checked, checkUnit, forget, incomplete, inTurn, RECORDS, type Unit } from '../records'

/** How many units are checked at first, and how many more if somebody asks. */
const FIRST = 50
const MORE = 200
const AT_A_TIME = 2

const TOPICS: readonly Topic[] = ['serial', 'issue', 'production']

// Also while another page is shown.
hub.subscribe(TOPICS, (notice) => {
  forget(queryClient, notice)
  return false
})

/** Reads the records of these units, and tells of each as soon as it is known. What was read stays for five minutes, unless it is said to
 * have changed. */
function useRecords(units: readonly Unit[] | undefined) {
  const client = useQueryClient()
  const [state, setState] = useState<{ checked: Checked[]; error: unknown }>({ checked: [], error: undefined })
  const [attempt, setAttempt] = useState(0)
  const work = useMemo(() => ({ units, attempt }), [units, attempt])
  useEffect(() => {
    if (work.units === undefined) return
    const control = new AbortController()
    const found: Checked[] = []
    const read = (unit: Unit) =>
      client.fetchQuery({
        queryKey: [...RECORDS, unit._key],
        queryFn: ({ signal }) => checkUnit(unit, signal),
        staleTime: 300_000,
      })
    const tell = (one: Checked) => {
      found.push(one)
      if (!control.signal.aborted) setState({ checked: [...found], error: undefined })
    }
    const unlessLeft = (unit: Unit) => {
      control.signal.throwIfAborted()
      return read(unit)
    }
    inTurn(work.units, AT_A_TIME, async (unit) => unlessLeft(unit), tell).catch((error) => {
      if (!control.signal.aborted) setState({ checked: found, error })
    })
    return () => control.abort()
  }, [work, client])
  const retry = () => setAttempt((before) => before + 1)
  useLive(TOPICS, (notice) => {
    if (forget(client, notice)) retry()
    return notice.topic === 'serial'
  })
  return { ...state, retry }
}

function UnitRow({ unit, missing, issues }: Checked) {
  const t = useText()
  const [first, ...others] = missing
  return (
    <Row
      to={`/serial/${encodeURIComponent(unit._key)}`}
      title={
        <>
          {unit.code === null ? t('ui.state.serial.uncoded') : <Code bare>{unit.code}</Code>}{' '}
          <span className="tw-home-of">{unit.product?.description ?? unit.product?.code}</span>
        </>
      }
      about={
        <span className="tw-home-lacks">
          {first && lackText(t, unit, first, issues)}
          {others.length > 0 && ` ${t('home.records.others', { count: others.length })}`}
        </span>
      }
      end={
        <span className="tw-home-due">
          <StatusMark of="serial" state={unit.state} />
          <span className="tw-home-about">
            <Moment at={unit.released} />
          </span>
        </span>
      }
    />
  )
}

interface RecordsProps {
  readonly units: readonly Unit[]
  readonly total: number
  readonly checked: readonly Checked[]
  readonly onMore: () => void
}

function Records({ units, total, checked, onMore }: RecordsProps) {
  const t = useText()
  const [all, setAll] = useState(false)
  const found = incomplete(checked, units)
  const busy = checked.length < units.length
  const shown = all ? found : found.slice(0, ROWS)
  if (units.length === 0) return <Calm icon="info">{t('home.records.noUnits')}</Calm>
  return (
    <>
      {found.length > 0 && (
        <Rows>
          {shown.map((one) => (
            <UnitRow key={one.unit._key} {...one} />
          ))}
        </Rows>
      )}
      {found.length > shown.length && (
        <button type="button" className="tw-home-all" onClick={() => setAll(true)}>
          {t('home.further', { count: found.length - shown.length })}
        </button>
      )}
      {busy && found.length === 0 && <Lines count={3} />}
      {!busy && found.length === 0 && <Calm>{t('home.records.none')}</Calm>}
      <p className="tw-home-sub" role="status" aria-busy={busy}>
        {busy
          ? t('home.records.checking', { done: checked.length, total: units.length })
          : t('home.records.checked', { count: units.length, total })}{' '}
        {!busy && units.length < total && (
          <button type="button" className="tw-home-all" onClick={onMore}>
            {t('home.records.more')}
          </button>
        )}
      </p>
    </>
  )
}

/** Units that are finished, but could not be proven. */
export default function RecordsBlock() {
  const t = useText()
  const [limit, setLimit] = useState(FIRST)
  const query = useQuery({ ...unitsQuery(limit), placeholderData: (before) => before })
  const { checked, error, retry } = useRecords(query.data?.rows)
  const found = query.data ? incomplete(checked, query.data.rows).length : 0
  const known = query.data !== undefined && (found > 0 || checked.length >= query.data.rows.length)
  return (
    <Block name="records" title={t('home.records.title')} count={known ? found : undefined} query={query}>
      {({ rows, total }) =>
        error === undefined ? (
          <Records
            units={rows}
            total={total ?? rows.length}
            checked={checked}
            onMore={() => setLimit((before) => before + MORE)}
          />
        ) : (
          <LoadFailed error={error} onRetry={retry} />
        )
      }
    </Block>
  )
}
