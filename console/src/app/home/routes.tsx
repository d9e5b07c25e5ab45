import { createRoute, type NavItem, page } from '@/app/page'

export const homeRoute = createRoute({
  ...page({ title: 'frame.home', load: () => import('./index'), isFirst: true }),
  path: '/',
})

export const routes = [homeRoute] as const

export const nav: NavItem[] = [{ to: '/', label: 'frame.home', icon: 'home', group: 'work' }]
