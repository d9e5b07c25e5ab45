import { createRoute, type NavItem, page } from '@/app/page'
import { text } from '@/app/search-params'

export const panelRoute = createRoute({
  ...page({ title: 'pages.panel', scope: 'traceability:event:create', load: () => import('./queue-page') }),
  path: '/panel',
})

export const workRoute = createRoute({
  ...page({ title: 'pages.panel', scope: 'traceability:event:create', load: () => import('./work-page') }),
  path: '/panel/job/$jobKey',
  /** `unit`: the key of a unit that was scanned to come here. */
  validateSearch: (search): { unit?: string } => ({ unit: text(search.unit) }),
})

export const routes = [panelRoute, workRoute] as const

export const nav: NavItem[] = [
  { to: '/panel', label: 'pages.panel', icon: 'panel', scope: 'traceability:event:create', group: 'work' },
]
