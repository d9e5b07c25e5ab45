import { createRoute, page } from '@/app/page'
import { text } from '@/app/search-params'

export const serialRoute = createRoute({
  ...page({ title: 'pages.serial', scope: 'serial:read', load: () => import('./serial-page') }),
  path: '/serial/$serialKey',
  validateSearch: (search): { as_of?: string } => {
    const asOf = text(search.as_of)
    return asOf === undefined ? {} : { as_of: asOf }
  },
})
