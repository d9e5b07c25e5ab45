import { createRoute, type NavItem, page } from '@/app/page'
import * as panel from './panel/routes'
import { type PlanSearch, readPlanSearch } from './plan/search'

export const planRoute = createRoute({
  ...page({ title: 'pages.plan', scope: 'production:queue:read', load: () => import('./plan/plan-page') }),
  path: '/plan',
  validateSearch: (search): PlanSearch => readPlanSearch(search),
})

export const orderRoute = createRoute({
  ...page({
    title: 'pages.order',
    scope: 'production:work-order:read',
    load: () => import('./order/order-page'),
  }),
  path: '/order/$orderKey',
})

export const routes = [planRoute, orderRoute, ...panel.routes] as const

export const nav: NavItem[] = [
  { to: '/plan', label: 'pages.plan', icon: 'plan', scope: 'production:queue:read', group: 'work' },
  ...panel.nav,
]
