import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '@/app/root'
import { text } from '@/app/search-params'

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search): { to?: string } => ({ to: text(search.to) }),
  component: lazyRouteComponent(() => import('./sign-in')),
})

export const routes = [signInRoute] as const
