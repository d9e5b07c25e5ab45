import * as product from '@/areas/product/routes'
import * as production from '@/areas/production/routes'
import * as serial from '@/areas/serial/routes'
import * as trace from '@/areas/trace/routes'
import * as home from './home/routes'
import type { NavItem } from './page'
import * as search from './search/routes'

/** All pages, area by area. A further area is one line here and one in the navigation below. */
export const routes = [
  ...home.routes,
  ...search.routes,
  ...production.routes,
  ...serial.routes,
  ...trace.routes,
  ...product.routes,
] as const

export const navigation: NavItem[] = [home, search, production, serial, trace, product].flatMap((area) => area.nav)
