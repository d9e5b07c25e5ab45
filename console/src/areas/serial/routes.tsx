import type { NavItem } from '@/app/page'
import { serialListNav, serialListRoute } from './list/route'
import { serialRoute } from './page/route'

export const routes = [serialListRoute, serialRoute] as const

export const nav: NavItem[] = [serialListNav]
