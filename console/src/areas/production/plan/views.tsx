import { useText } from '@/i18n'
import { Go } from '@/ui/Go'
import type { PlanSearch } from './search'

/** The queue, or all orders. */
export function Views({ view }: { view: PlanSearch['view'] }) {
  const t = useText()
  return (
    <nav className="tw-plan-views" aria-label={t('production.plan.view')}>
      <Go to="/plan" aria-current={view === undefined ? 'page' : undefined}>
        {t('production.plan.view.queue')}
      </Go>
      <Go to="/plan?view=orders" aria-current={view === 'orders' ? 'page' : undefined}>
        {t('production.plan.view.orders')}
      </Go>
    </nav>
  )
}
