/*
 * The two routes above all pages: everything, and everything behind the sign-in. They are apart from router.tsx because the areas refer to
 * them.
 */

import { createRootRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { Gate } from './gate'

export const rootRoute = createRootRoute({ component: Gate })

/** The parent of every page of an area: navigation, top bar, and a session. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: lazyRouteComponent(() => import('./shell')),
})
