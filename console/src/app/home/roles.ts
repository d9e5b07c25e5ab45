/*
 * What stands on the home page: the blocks that somebody may read, in the order that their work asks for.
 */

import type { FineScope } from '@/api'
import type { CoarseScope, Scope } from '@/session/machine'

export type BlockName = 'queue' | 'tasks' | 'issues' | 'records' | 'orders' | 'counts'

const RIGHTS: Readonly<Record<BlockName, FineScope>> = {
  queue: 'production:queue:read',
  tasks: 'collaboration:task:read',
  issues: 'collaboration:issue:read',
  records: 'serial:read',
  orders: 'production:work-order:read',
  counts: 'inventory:count:read',
}

/** Who has several roles works as the first of these. */
const ROLES = ['admin', 'quality', 'production', 'warehouse', 'library', 'operator', 'viewer'] as const

/** The most needed first. History records are looked through only where somebody answers for them. */
const PLANS: Readonly<Record<CoarseScope, readonly BlockName[]>> = {
  admin: ['issues', 'orders', 'tasks', 'records', 'counts', 'queue'],
  quality: ['issues', 'records', 'tasks', 'queue', 'orders', 'counts'],
  production: ['orders', 'issues', 'queue', 'tasks', 'records', 'counts'],
  warehouse: ['counts', 'tasks', 'queue', 'issues', 'orders'],
  library: ['tasks', 'issues', 'queue', 'orders', 'records', 'counts'],
  operator: ['queue', 'tasks', 'issues', 'counts'],
  viewer: ['issues', 'records', 'orders', 'counts', 'tasks'],
}

/** The role that the home page is made for; `viewer` for somebody with single rights only. */
export function roleOf(can: (scope: Scope) => boolean): CoarseScope {
  return ROLES.find((role) => can(role)) ?? 'viewer'
}

/** The blocks of a user. A queue of jobs have only operators. */
export function blocksOf(can: (scope: Scope) => boolean): BlockName[] {
  return PLANS[roleOf(can)].filter((block) => can(RIGHTS[block]) && (block !== 'queue' || can('operator')))
}

/** Blocks side by side: the first is at the left, the second at the right, and so on. */
export function inColumns<T>(blocks: readonly T[], columns: number): T[][] {
  return Array.from({ length: columns }, (_, at) => blocks.filter((_block, index) => index % columns === at))
}
