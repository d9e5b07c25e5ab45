import { Button } from '@mantine/core'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ApiFailure } from '@/api'
import { useFormats, useText } from '@/i18n'
import { useSession } from '@/session'
import { Empty } from '@/ui/Empty'
import { Filters } from '@/ui/Filters'
import { LoadFailed } from '@/ui/LoadFailed'
import { Bar } from '@/ui/Skeletons'
import { useMove } from '../mutations'
import type { Order } from '../orders'
import { configQuery } from '../queries'
import { countsOf, filtered, SHOWN, type Shown } from './filters'
import { ofProduct } from './of-product'
import { ProductChip } from './product-chip'
import { Queue } from './queue'
import type { PlanSearch } from './search'

const NO_FILTERS: readonly never[] = []

interface QueueViewProps {
  readonly queue: UseQueryResult<Order[]>
  readonly search: PlanSearch
  readonly onChange: (changes: Partial<PlanSearch>) => void
  readonly onFailed: (failure: ApiFailure | null) => void
  readonly onNew: () => void
}

/** The queue with what filters it. */
export function QueueView({ queue, search, onChange, onFailed, onNew }: QueueViewProps) {
  const t = useText()
  const { can } = useSession()
  const config = useQuery(configQuery)
  const move = useMove(onFailed)
  if (queue.isPending) return <QueueSkeleton />
  if (queue.data === undefined) return <LoadFailed error={queue.error} onRetry={() => void queue.refetch()} />
  const orders = queue.data
  if (orders.length === 0) return <NoOrders onNew={onNew} />
  const chosen = ofProduct(orders, search.of)
  const shown = filtered(chosen, search.show, search.q)
  const movable = can('production:queue:update')
  const sort = (before: readonly string[], after: readonly string[]) => {
    onFailed(null)
    move.mutate({ before, after })
  }
  return (
    <>
      <div className="tw-plan-tools">
        <Choices orders={chosen} show={search.show} onChange={(show) => onChange({ show })} />
        <div className="tw-plan-find">
          <ProductChip product={search.of} onChange={onChange} />
          <Filters
            search="q"
            searchLabel={t('production.plan.search')}
            filters={NO_FILTERS}
            values={{ q: search.q }}
            onChange={({ q }) => onChange({ q: typeof q === 'string' ? q : undefined })}
          />
        </div>
      </div>
      {!movable && <p className="tw-plan-note">{t('production.plan.readOnly')}</p>}
      {shown.length === 0 ? (
        <Empty
          icon="filter"
          title={t('production.plan.noMatch.title')}
          action={
            <Button variant="default" onClick={() => onChange({ show: undefined, q: undefined, of: undefined })}>
              {t('production.plan.noMatch.action')}
            </Button>
          }
        >
          {t('production.plan.noMatch.text', { count: orders.length })}
        </Empty>
      ) : (
        <Queue
          orders={orders}
          shown={shown}
          movable={movable}
          assigneeNeeded={config.data?.show_unassigned_jobs_to_operators === false}
          onSort={sort}
        />
      )}
    </>
  )
}

interface ChoicesProps {
  readonly orders: readonly Order[]
  readonly show: Shown | undefined
  readonly onChange: (show: Shown | undefined) => void
}

/** One button for each group of orders, with how many there are. */
function Choices({ orders, show, onChange }: ChoicesProps) {
  const t = useText()
  const formats = useFormats()
  const counts = countsOf(orders)
  const groups = SHOWN.filter((group) => counts[group] > 0 || group === show)
  return (
    <fieldset className="tw-plan-choices">
      <legend className="tw-hidden">{t('production.plan.shown')}</legend>
      <button type="button" aria-pressed={show === undefined} onClick={() => onChange(undefined)}>
        {t('production.plan.shown.all')} <span>{formats.number(orders.length)}</span>
      </button>
      {groups.map((group) => (
        <button
          key={group}
          type="button"
          aria-pressed={show === group}
          onClick={() => onChange(show === group ? undefined : group)}
        >
          {t(`production.plan.shown.${group}`)} <span>{formats.number(counts[group])}</span>
        </button>
      ))}
    </fieldset>
  )
}

function NoOrders({ onNew }: { onNew: () => void }) {
  const t = useText()
  const { can } = useSession()
  return (
    <Empty
      icon="plan"
      title={t('production.plan.empty.title')}
      action={can('production:work-order:create') && <Button onClick={onNew}>{t('production.plan.new')}</Button>}
    >
      {t('production.plan.empty.text')}
    </Empty>
  )
}

function QueueSkeleton() {
  const t = useText()
  return (
    <div role="status" aria-busy="true">
      <span className="tw-hidden">{t('ui.loading')}</span>
      <div className="tw-plan-tools" aria-hidden="true" />
      <div className="tw-plan-queue" aria-hidden="true">
        {[0, 1, 2, 3, 4].map((at) => (
          <div className="tw-wo" key={at}>
            <div className="tw-wo-place" />
            <div className="tw-wo-what">
              <Bar width="14rem" />
            </div>
            <div className="tw-wo-far">
              <Bar width="9rem" />
            </div>
            <div className="tw-wo-duecell">
              <Bar width="5rem" />
            </div>
            <div className="tw-wo-state">
              <Bar width="5rem" />
            </div>
            <div className="tw-wo-actions" />
          </div>
        ))}
      </div>
    </div>
  )
}
