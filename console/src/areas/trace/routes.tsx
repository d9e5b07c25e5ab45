import type { NavItem } from '@/app/page'

export const routes = [] as const

export const nav: NavItem[] = []
