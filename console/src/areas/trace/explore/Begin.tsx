import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react'
import { useText } from '@/i18n'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { type Column, DataTable } from '@/ui/DataTable'
import { Empty } from '@/ui/Empty'
import { Icon } from '@/ui/icons'
import { LoadFailed } from '@/ui/LoadFailed'
import { Moment } from '@/ui/Moment'
import { PageHead } from '@/ui/PageHead'
import { Section } from '@/ui/Section'
import { StatusMark } from '@/ui/StatusMark'
import { wordOf } from '@/ui/states'
import { type FoundUnit, unitsQuery } from '../queries'
import { traceRoute } from '../routes'
import { traceOf } from './address'
import './explore.css'

/** Before there is a unit to trace: scan one, or find it. */
export function Begin() {
  const t = useText()
  const { can } = useSession()
  return (
    <>
      <PageHead title={t('pages.trace')} answer={t('trace.begin.answer')} />
      {can('serial:read') ? (
        <Finder />
      ) : (
        <Empty icon="lock" title={t('trace.begin.forbidden')}>
          {t('trace.begin.forbidden.text')}
        </Empty>
      )}
    </>
  )
}

function Finder() {
  const t = useText()
  const { q = '' } = traceRoute.useSearch()
  const navigate = traceRoute.useNavigate()
  const [text, setText] = useState(q)
  const [words] = useDebouncedValue(text.trim(), 250)
  // The address follows what is typed, and only what comes from elsewhere (a link, a scan) changes the field.
  const sent = useRef(q)
  useEffect(() => {
    if (q !== sent.current) setText(q)
    sent.current = q
  }, [q])
  useEffect(() => {
    if (words === sent.current) return
    sent.current = words
    void navigate({ search: { q: words === '' ? undefined : words }, replace: true })
  }, [words, navigate])
  const units = useQuery({ ...unitsQuery(words), placeholderData: keepPreviousData })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wanted = text.trim().toLocaleUpperCase()
    const exact = units.data?.filter(({ code }) => code === wanted) ?? []
    const only = exact.length === 1 ? exact[0] : units.data?.length === 1 ? units.data[0] : undefined
    if (only && wanted !== '') void navigate({ search: { serial: only._key } })
  }
  return (
    <>
      <form className="tw-trace-find" onSubmit={submit}>
        <TextInput
          size="md"
          type="search"
          aria-label={t('trace.begin.label')}
          placeholder={t('trace.begin.hint')}
          leftSection={<Icon name="scan" />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
      </form>
      <Section title={words === '' ? t('trace.begin.latest') : t('trace.begin.found', { text: words })}>
        {units.isError ? (
          <LoadFailed error={units.error} onRetry={() => void units.refetch()} />
        ) : (
          <Units rows={units.data} words={words} />
        )}
      </Section>
    </>
  )
}

function Units({ rows, words }: { rows: FoundUnit[] | undefined; words: string }) {
  const t = useText()
  const word = t as (key: string) => string
  const columns = useMemo<Column<FoundUnit>[]>(
    () => [
      {
        id: 'code',
        head: t('trace.table.code'),
        text: (row) => row.code,
        cell: (row) => (row.code === null ? t('trace.unnamed') : <Code bare>{row.code}</Code>),
        width: 130,
      },
      {
        id: 'product',
        head: t('trace.table.product'),
        text: (row) => row.product?.code,
        cell: (row) => row.product && <Code bare>{row.product.code}</Code>,
        width: 96,
      },
      {
        id: 'description',
        head: t('trace.table.description'),
        text: (row) => row.product?.description,
        least: 160,
      },
      {
        id: 'state',
        head: t('trace.table.state'),
        text: (row) => word(row.shipped ? wordOf('place', 'shipped') : wordOf('serial', row.state)),
        cell: (row) =>
          row.shipped ? <StatusMark of="place" state="shipped" /> : <StatusMark of="serial" state={row.state} />,
        width: 136,
      },
      {
        id: 'order',
        head: t('trace.panel.order'),
        text: (row) => row.wo_code,
        cell: (row) => row.wo_code !== null && <Code bare>{row.wo_code}</Code>,
        width: 100,
      },
      {
        id: 'made',
        head: t('trace.panel.made'),
        text: (row) => row.created,
        cell: (row) => <Moment at={row.created} />,
        width: 120,
      },
    ],
    [t, word],
  )
  const none =
    words === '' ? (
      <Empty icon="serial" title={t('trace.begin.empty')}>
        {t('trace.begin.empty.text')}
      </Empty>
    ) : (
      <Empty icon="search" title={t('trace.begin.none', { text: words })}>
        {t('trace.begin.none.text')}
      </Empty>
    )
  return (
    <DataTable
      name="trace-begin"
      label={t('trace.begin.latest')}
      plain
      columns={columns}
      rows={rows}
      rowKey={(row) => row._key}
      to={(row) => traceOf(row._key)}
      empty={none}
    />
  )
}
