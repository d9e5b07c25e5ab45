import { createRouter } from '@tanstack/react-router'
import * as security from '@/areas/security/routes'
import { routes } from './areas'
import { RouteFailed } from './errors'
import { Loading } from './loading'
import { NotFound } from './not-found'
import { rootRoute, shellRoute } from './root'
import { parseSearch, stringifySearch } from './search-params'

export const router = createRouter({
  routeTree: rootRoute.addChildren([...security.routes, shellRoute.addChildren(routes)]),
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingMs: 150,
  defaultPendingComponent: Loading,
  defaultErrorComponent: RouteFailed,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
