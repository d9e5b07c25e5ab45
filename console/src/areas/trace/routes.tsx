import { createRoute, type NavItem, page } from '@/app/page'
import { type TraceSearch, traceSearch } from './explore/address'
import { type Selection, selectionOf } from './recall/selection'

export const traceRoute = createRoute({
  ...page({ title: 'pages.trace', scope: 'trace:read', load: () => import('./trace-page') }),
  path: '/trace',
  validateSearch: (search): TraceSearch => traceSearch(search),
})

export const recallRoute = createRoute({
  ...page({ title: 'pages.recall', scope: 'trace:read', load: () => import('./recall-page') }),
  path: '/recall',
  validateSearch: (search): Selection => selectionOf(search),
})

export const routes = [traceRoute, recallRoute] as const

export const nav: NavItem[] = [
  { to: '/trace', label: 'pages.trace', icon: 'trace', scope: 'trace:read', group: 'look' },
  { to: '/recall', label: 'pages.recall', icon: 'flagged', scope: 'trace:read', group: 'look' },
]
