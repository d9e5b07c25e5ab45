import { useText } from '@/i18n'
import { Go } from '@/ui/Go'
import { planPage } from './of-product'
import type { PlanSearch } from './search'

/** The queue, or all orders; of one product, if it was narrowed to that. */
export function Views({ view, of }: Pick<PlanSearch, 'view' | 'of'>) {
  const t = useText()
  return (
    <nav className="tw-plan-views" aria-label={t('production.plan.view')}>
      <Go to={planPage({ of })} aria-current={view === undefined ? 'page' : undefined}>
        {t('production.plan.view.queue')}
      </Go>
      <Go to={planPage({ view: 'orders', of })} aria-current={view === 'orders' ? 'page' : undefined}>
        {t('production.plan.view.orders')}
      </Go>
    </nav>
  )
}
