/*
 * The two routes above all pages: everything, and everything behind the sign-in. They are apart from router.tsx because the areas refer to
 * them.
 */

import { createRootRoute, createRoute, redirect } from '@tanstack/react-router'
import { isNewHere } from '@/session/browser'
import { Gate } from './gate'
import { signInAddress } from './guard'
import { lately } from './later'

export const rootRoute = createRootRoute({ component: Gate })

/** The parent of every page of an area: navigation, top bar, and a session. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  // A newcomer signs in before anything behind the sign-in is fetched. Others need it, and it comes while the service says who they are.
  beforeLoad: ({ location }) => {
    if (isNewHere()) throw redirect({ href: signInAddress(location.href), replace: true })
  },
  component: lately(() => import('./shell')),
})
