import { createRoute, type NavItem, page } from '@/app/page'
import { type ListSearch, readListSearch } from './search'

export const serialListRoute = createRoute({
  ...page({ title: 'serials.title', scope: 'serial:read', load: () => import('./list-page') }),
  path: '/serial',
  validateSearch: (search): ListSearch => readListSearch(search),
})

export const serialListNav: NavItem = {
  to: '/serial',
  label: 'serials.nav',
  icon: 'serial',
  scope: 'serial:read',
  group: 'look',
}
