import { Link } from '@tanstack/react-router'
import { useText } from '@/i18n'
import type { PlanSearch } from './search'

/** The queue, or all orders. */
export function Views({ view }: { view: PlanSearch['view'] }) {
  const t = useText()
  return (
    <nav className="tw-views" aria-label={t('production.plan.view')}>
      <Link to="/plan" search={{}} aria-current={view === undefined ? 'page' : undefined}>
        {t('production.plan.view.queue')}
      </Link>
      <Link to="/plan" search={{ view: 'orders' }} aria-current={view === 'orders' ? 'page' : undefined}>
        {t('production.plan.view.orders')}
      </Link>
    </nav>
  )
}
