import { redirect } from '@tanstack/react-router'
import { createRoute, type NavItem, page } from '@/app/page'
import { type ListSearch, readListSearch } from './list/search'
import { isTab, type PageSearch, readPageSearch } from './tabs'

export const productListRoute = createRoute({
  ...page({ title: 'pages.products', scope: 'product:catalogue:read', load: () => import('./list/list-page') }),
  path: '/product',
  validateSearch: (search): ListSearch => readListSearch(search),
})

/** A product without a tab: its data. Scans and links of other pages lead here. */
export const productAloneRoute = createRoute({
  ...page({ title: 'pages.products', scope: 'product:catalogue:read', load: () => import('./product-page') }),
  path: '/product/$productKey',
  beforeLoad: ({ params }) => {
    throw redirect({
      to: '/product/$productKey/$tab',
      params: { productKey: params.productKey, tab: 'data' },
      replace: true,
    })
  },
})

export const productRoute = createRoute({
  ...page({ title: 'pages.products', scope: 'product:catalogue:read', load: () => import('./product-page') }),
  path: '/product/$productKey/$tab',
  validateSearch: (search): PageSearch => readPageSearch(search),
  beforeLoad: ({ params }) => {
    if (isTab(params.tab)) return
    throw redirect({
      to: '/product/$productKey/$tab',
      params: { productKey: params.productKey, tab: 'data' },
      replace: true,
    })
  },
})

export const routes = [productListRoute, productAloneRoute, productRoute] as const

export const nav: NavItem[] = [
  { to: '/product', label: 'pages.products', icon: 'product', scope: 'product:catalogue:read', group: 'look' },
]
