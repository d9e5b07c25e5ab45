import { createRoute, type NavItem, page } from '@/app/page'
import { oneOf, text } from '@/app/search-params'
import type { HitKind } from '@/scan'

const KINDS = ['serial', 'product', 'order', 'position', 'task', 'issue'] as const satisfies readonly HitKind[]

export const searchRoute = createRoute({
  ...page({ title: 'search.title', load: () => import('./search-page') }),
  path: '/search',
  validateSearch: (search): { q?: string; in?: HitKind } => ({ q: text(search.q), in: oneOf(search.in, KINDS) }),
})

/* Things that are read at a glance: what the search finds and the home page leads to. */

export const issueRoute = createRoute({
  ...page({
    title: 'search.thing.issue',
    scope: 'collaboration:issue:read',
    load: () => import('./glance/issue-page'),
  }),
  path: '/issue/$issueKey',
})

export const taskRoute = createRoute({
  ...page({ title: 'search.thing.task', scope: 'collaboration:task:read', load: () => import('./glance/task-page') }),
  path: '/task/$taskKey',
})

export const positionRoute = createRoute({
  ...page({
    title: 'search.thing.position',
    scope: 'inventory:position:read',
    load: () => import('./glance/position-page'),
  }),
  path: '/position/$positionKey',
})

export const countRoute = createRoute({
  ...page({ title: 'search.thing.count', scope: 'inventory:count:read', load: () => import('./glance/count-page') }),
  path: '/count/$countKey',
})

export const routes = [searchRoute, issueRoute, taskRoute, positionRoute, countRoute] as const

export const nav: NavItem[] = []
