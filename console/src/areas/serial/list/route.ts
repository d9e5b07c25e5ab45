import { createRoute, type NavItem, page } from '@/app/page'
import { type ListSearch, readListSearch } from './search'

export const serialListRoute = createRoute({
  ...page({ title: 'pages.serials', scope: 'serial:read', load: () => import('./list-page') }),
  path: '/serial',
  validateSearch: (search): ListSearch => readListSearch(search),
})

export const serialListNav: NavItem = {
  to: '/serial',
  label: 'pages.serials',
  icon: 'serial',
  scope: 'serial:read',
  group: 'look',
}
