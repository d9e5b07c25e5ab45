/*
 * How an area declares its pages:
 *
 *   export const serialRoute = createRoute({
 *     ...page({ title: 'pages.serial', scope: 'serial:read', load: () => import('./serial-page') }),
 *     path: '/serial/$serialKey',
 *     validateSearch: (search) => ({ as_of: text(search.as_of) }),
 *   })
 *   export const routes = [serialRoute] as const
 *
 * The module has the page as its default export; it reads `serialRoute.useParams()` and `serialRoute.useSearch()`.
 */

import type { ComponentType } from 'react'
import type { Scope } from '@/session'
import type { IconName } from '@/ui/icons'
import { lately, later } from './later'
import { shellRoute } from './root'
import type { PlainKey } from './texts'

export { createRoute } from '@tanstack/react-router'

export interface NavItem {
  to: string
  label: PlainKey
  icon: IconName
  /** Shown only to users who have it. */
  scope?: Scope
  /** Groups stand in this order: what one does, what one looks up. */
  group: 'work' | 'look'
}

interface PageOptions {
  /** Of the document, until the page sets its own with `PageTitle`. */
  title: PlainKey
  /** Without it, the user is told so instead of seeing the page. */
  scope?: Scope
  /** Fetches the module. What it holds is not looked at here: the page knows its route, whose type would depend on itself. */
  load: () => Promise<unknown>
  /** The page needs nothing of what `later` fetches. */
  isFirst?: boolean
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    title?: PlainKey
    scope?: Scope
  }
}

/** The options that all pages share, for `createRoute`. */
export function page({ title, scope, load, isFirst = false }: PageOptions) {
  const module = load as () => Promise<{ default: ComponentType }>
  return {
    getParentRoute: () => shellRoute,
    staticData: { title, scope },
    component: lately(isFirst ? module : () => later(module)),
  }
}
