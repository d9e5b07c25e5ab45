import { createRoute, createRouter } from '@tanstack/react-router'
import * as security from '@/areas/security/routes'
import { routes } from './areas'
import { RouteFailed } from './errors'
import { Loading } from './loading'
import { NotFound, NotFoundInShell } from './not-found'
import { rootRoute, shellRoute } from './root'
import { parseSearch, stringifySearch } from './search-params'

/** Unknown addresses keep the navigation, so that people find their way from there. */
const unknownRoute = createRoute({ getParentRoute: () => shellRoute, path: '/$', component: NotFound })

export const router = createRouter({
  routeTree: rootRoute.addChildren([...security.routes, shellRoute.addChildren([...routes, unknownRoute])]),
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingMs: 150,
  defaultPendingComponent: Loading,
  defaultErrorComponent: RouteFailed,
  defaultNotFoundComponent: NotFoundInShell,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
