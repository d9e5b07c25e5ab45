import { Button } from '@mantine/core'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '@/api'
import { isZero } from '@/api/decimal'
import { useText } from '@/i18n'
import { useSession } from '@/session'
import { LoadFailed } from '@/ui/LoadFailed'
import { Moment } from '@/ui/Moment'
import { Quantity } from '@/ui/Quantity'
import { Section } from '@/ui/Section'
import { Bar, Lines } from '@/ui/Skeletons'
import { StatusMark } from '@/ui/StatusMark'
import { batchState } from '@/ui/states'
import type { Order } from '../orders'
import { batchKeysQuery, batchQuery } from '../queries'
import { Money } from './money'

type Batch = Schemas['BatchDetail']

const STEP = 10

/** The batches that went through the phases, newest first. */
export function Batches({ order }: { order: Order }) {
  const t = useText()
  const { can } = useSession()
  const [limit, setLimit] = useState(STEP)
  const may = can('traceability:event:read') && can('traceability:batch-execution-record:read')
  const list = useQuery({ ...batchKeysQuery(order._key, limit), enabled: may, placeholderData: keepPreviousData })
  const keys = list.data?.keys ?? []
  const batches = useQueries({ queries: keys.map(batchQuery) })
  if (!may) return null
  const total = list.data?.total
  return (
    <Section title={t('production.batch.title')} count={total}>
      {list.isPending && <Lines count={3} />}
      {list.isError && <LoadFailed error={list.error} onRetry={() => void list.refetch()} />}
      {total === 0 && <p className="tw-wo-lines-none">{t('production.batch.empty')}</p>}
      {keys.length > 0 && (
        <BatchTable order={order} rows={keys.map((key, at) => ({ key, batch: batches[at]?.data }))} />
      )}
      {total !== undefined && total > keys.length && (
        <Button variant="subtle" loading={list.isFetching} onClick={() => setLimit(limit + 3 * STEP)}>
          {t('production.batch.more')}
        </Button>
      )}
    </Section>
  )
}

interface Row {
  readonly key: string
  readonly batch: Batch | undefined
}

function BatchTable({ order, rows }: { order: Order; rows: readonly Row[] }) {
  const t = useText()
  return (
    <div className="tw-wo-lines-scroll">
      <table className="tw-wo-lines">
        <thead>
          <tr>
            <th scope="col">{t('production.batch.phase')}</th>
            <th scope="col">{t('production.batch.state')}</th>
            <th scope="col" data-numeric>
              {t('production.batch.total')}
            </th>
            <th scope="col" data-numeric>
              {t('production.batch.pass')}
            </th>
            <th scope="col" data-numeric>
              {t('production.batch.scrap')}
            </th>
            <th scope="col">{t('production.batch.start')}</th>
            <th scope="col">{t('production.batch.end')}</th>
            <th scope="col" data-numeric>
              {t('production.batch.value')}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, batch }) =>
            batch === undefined ? (
              <tr key={key}>
                <td colSpan={8}>
                  <Bar />
                </td>
              </tr>
            ) : (
              <BatchRow key={key} batch={batch} order={order} />
            ),
          )}
        </tbody>
      </table>
    </div>
  )
}

function BatchRow({ batch, order }: { batch: Batch; order: Order }) {
  const t = useText()
  const phase = order.jobs.find((job) => job._key === batch.job_key)?.phase_alias
  const over = !batch.active && batch.canceled === null
  return (
    <tr>
      <th scope="row">
        {phase}
        {batch.forced !== null && <span className="tw-wo-lines-soft"> ({t('production.batch.forced')})</span>}
      </th>
      <td>
        <StatusMark of="batch" state={batchState(batch)} />
      </td>
      <td data-numeric>
        <Quantity value={batch.qt_total} />
      </td>
      <td data-numeric>
        <Quantity value={over ? batch.qt_pass : null} />
      </td>
      <td data-numeric>
        <Quantity value={isZero(batch.qt_scrap) ? null : batch.qt_scrap} />
        {batch.scrap_reason && <span className="tw-wo-lines-reason">{batch.scrap_reason}</span>}
      </td>
      <td>
        <Moment at={batch.start} />
      </td>
      <td>
        <Moment at={batch.end} />
      </td>
      <td data-numeric>{over ? <Money value={batch.value} /> : <Quantity value={null} />}</td>
    </tr>
  )
}
