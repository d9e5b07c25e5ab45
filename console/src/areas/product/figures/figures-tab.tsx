import { Select } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { compare, type Decimal, isZero, ratio } from '@/api/decimal'
import { type Text, useFormats, useText } from '@/i18n'
import { useSession } from '@/session'
import { type Column, DataTable } from '@/ui/DataTable'
import { Empty } from '@/ui/Empty'
import { LoadFailed } from '@/ui/LoadFailed'
import { Quantity } from '@/ui/Quantity'
import { Section } from '@/ui/Section'
import { Lines } from '@/ui/Skeletons'
import type { PartProps } from '../part'
import { processQuery, type Stats, statsQuery } from '../queries'
import { usePageSearch } from '../use-page-search'
import { rateText } from './rate'
import { choices, type StatsWindow, searchOf, windowName, windowOf } from './window'
import './figures.css'

/** How well it is made: yield, scrap, time and punctuality, over a window of closed orders. */
export function FiguresTab({ product }: PartProps) {
  const t = useText()
  const [search, change] = usePageSearch()
  const window = windowOf(search)
  const stats = useQuery({ ...statsQuery(product._key, window), placeholderData: keepPreviousData })
  return (
    <>
      <div className="tw-product-tools">
        <WindowChoice value={window} onChange={(next) => change(searchOf(next))} />
        {stats.data && <Between stats={stats.data} />}
      </div>
      {stats.isPending && <Lines count={6} />}
      {stats.isError && <LoadFailed error={stats.error} onRetry={() => stats.refetch()} />}
      {stats.data && <Figures stats={stats.data} product={product} />}
      {stats.data?.window.from === null && (
        <Empty icon="plan" title={t('product.figures.none')}>
          {t('product.figures.none.text')}
        </Empty>
      )}
    </>
  )
}

function WindowChoice(props: { value: StatsWindow | undefined; onChange: (next: StatsWindow | undefined) => void }) {
  const t = useText()
  const offered = choices(props.value)
  const data = offered.map((window) => ({ value: windowName(window), label: windowText(t, window) }))
  return (
    <Select
      label={t('product.figures.window')}
      data={data}
      value={windowName(props.value)}
      onChange={(name) => props.onChange(offered.find((window) => windowName(window) === name))}
      allowDeselect={false}
      w={230}
    />
  )
}

function windowText(t: Text, window: StatsWindow | undefined): string {
  if (window === undefined) return t('product.figures.window.own')
  if (window.size === undefined) return t('product.figures.window.all')
  const count = window.size
  return window.type === 'count'
    ? t('product.figures.window.orders', { count })
    : t('product.figures.window.days', { count })
}

function Between({ stats }: { stats: Stats }) {
  const t = useText()
  const formats = useFormats()
  const { from, to } = stats.window
  if (from === null) return null
  return (
    <p className="tw-figures-between">
      {t('product.figures.between', { from: formats.date(from), to: formats.date(to) })}
    </p>
  )
}

function Figures({ stats, product }: PartProps & { stats: Stats }) {
  const t = useText()
  const formats = useFormats()
  const rate = (value: Decimal | null) => (value === null ? null : rateText(formats.tag, value))
  const none = stats.window.from === null
  return (
    <>
      <dl className="tw-figures">
        {!none && (
          <>
            <Figure name={t('product.figures.rolled')} hint={t('product.figures.rolled.means')}>
              {rate(stats.rolled_yield)}
            </Figure>
            <Figure name={t('product.figures.onTime')}>{rate(stats.on_time_rate)}</Figure>
            <Figure name={t('product.figures.made')}>
              <Quantity value={stats.units_made} unit={product.unit} />
            </Figure>
            <Figure
              name={t('product.figures.scrapped')}
              tone={stats.units_scrapped !== null && !isZero(stats.units_scrapped) ? 'bad' : undefined}
            >
              <Quantity value={stats.units_scrapped} unit={product.unit} />
            </Figure>
            {product.traceability_level !== null && (
              <Figure name={t('product.figures.firstPass')}>
                {t('ui.progress.of', {
                  done: formats.number(stats.first_pass_units),
                  total: formats.number(stats.serials_released),
                })}
              </Figure>
            )}
            <TimeFigure
              name={t('product.figures.processing')}
              seconds={stats.mean_processing_time}
              target={product.processing_time_target}
            />
            <TimeFigure
              name={t('product.figures.throughput')}
              seconds={stats.mean_throughput_time}
              target={product.throughput_time_target}
            />
          </>
        )}
        <Figure name={t('product.figures.openOrders')}>{formats.number(stats.open_work_orders)}</Figure>
        <Figure name={t('product.figures.openQt')}>
          <Quantity value={stats.open_qt} unit={product.unit} />
        </Figure>
      </dl>
      {!none && stats.phases.length > 0 && (
        <Section title={t('product.figures.phases')}>
          <Phases stats={stats} product={product} />
        </Section>
      )}
    </>
  )
}

interface FigureProps {
  readonly name: string
  readonly children: ReactNode
  readonly hint?: string | undefined
  readonly note?: ReactNode
  readonly tone?: 'bad' | undefined
}

function Figure({ name, children, hint, note, tone }: FigureProps) {
  return (
    <div title={hint} data-tone={tone}>
      <dt>{name}</dt>
      <dd>
        {children ?? <span className="tw-none">–</span>}
        {note && <span className="tw-figures-note">{note}</span>}
      </dd>
    </div>
  )
}

function TimeFigure({ name, seconds, target }: { name: string; seconds: Decimal | null; target: Decimal | null }) {
  const t = useText()
  const formats = useFormats()
  const span = (value: Decimal) => formats.duration(Number(value) * 1000)
  if (seconds === null) return <Figure name={name}>{null}</Figure>
  const over = target !== null && compare(seconds, target) > 0
  const words = target === null ? undefined : { time: span(target) }
  return (
    <Figure
      name={name}
      tone={over ? 'bad' : undefined}
      note={words && (over ? t('product.figures.over', words) : t('product.figures.within', words))}
    >
      {span(seconds)}
    </Figure>
  )
}

type PhaseStats = Stats['phases'][number]
const phaseKey = (row: PhaseStats) => row.phase_key

function Phases({ stats, product }: PartProps & { stats: Stats }) {
  const t = useText()
  const formats = useFormats()
  const mayRead = useSession().can('process:template:read')
  const { data: process } = useQuery({ ...processQuery(product._key), enabled: mayRead })
  const columns = useMemo<Column<PhaseStats>[]>(() => {
    /** What the process sets; nothing where it sets no time, or the phase has left the process. */
    const standard = ({ phase_key }: PhaseStats): Decimal | null => {
      const seconds = process?.find(({ _key }) => _key === phase_key)?.params.std_processing_time
      return seconds === undefined || isZero(seconds) ? null : seconds
    }
    return [
      { id: 'phase', head: t('product.figures.phase'), text: (row) => row.alias, fixed: true, least: 120 },
      {
        id: 'yield',
        head: t('product.figures.yield'),
        text: (row) => row.first_pass_yield,
        cell: (row) => <Yield share={row.first_pass_yield} />,
        width: 180,
      },
      {
        id: 'pass',
        head: t('product.figures.pass'),
        text: (row) => row.qt_pass,
        cell: (row) => <Quantity value={row.qt_pass} />,
        numeric: true,
        width: 90,
      },
      {
        id: 'scrap',
        head: t('product.figures.scrap'),
        text: (row) => row.qt_scrap,
        cell: (row) => <Quantity value={row.qt_scrap} />,
        numeric: true,
        width: 90,
      },
      {
        id: 'time',
        head: t('product.figures.time'),
        text: (row) => row.mean_processing_time,
        cell: (row) =>
          row.mean_processing_time === null ? (
            <span className="tw-none">–</span>
          ) : (
            formats.duration(Number(row.mean_processing_time) * 1000)
          ),
        numeric: true,
        width: 148,
      },
      {
        id: 'standard',
        head: t('product.figures.standard'),
        text: (row) => standard(row),
        cell: (row) => {
          const seconds = standard(row)
          return seconds === null ? <span className="tw-none">–</span> : formats.duration(Number(seconds) * 1000)
        },
        numeric: true,
        width: 114,
        optional: !mayRead,
      },
    ]
  }, [t, formats, process, mayRead])
  return (
    <DataTable
      name="product-figures"
      label={t('product.figures.phases.label')}
      columns={columns}
      rowKey={phaseKey}
      rows={stats.phases}
      height={600}
      plain
    />
  )
}

function Yield({ share }: { share: Decimal | null }) {
  const formats = useFormats()
  if (share === null) return <span className="tw-none">–</span>
  return (
    <span className="tw-yield">
      <span className="tw-yield-bar" aria-hidden="true">
        <span style={{ width: `${ratio(share, 1) * 100}%` }} />
      </span>
      {rateText(formats.tag, share)}
    </span>
  )
}
