import type { FineScope } from '@/api'
import type { HitKind } from '@/scan'
import type { IconName } from '@/ui/icons'

/** The things that can be searched for, in the order in which equal hits stand. */
export const KINDS: readonly HitKind[] = ['serial', 'product', 'order', 'position', 'task', 'issue']

export const RIGHTS: Readonly<Record<HitKind, FineScope>> = {
  serial: 'serial:read',
  product: 'product:catalogue:read',
  order: 'production:work-order:read',
  position: 'inventory:position:read',
  task: 'collaboration:task:read',
  issue: 'collaboration:issue:read',
}

export const ICONS: Readonly<Record<HitKind, IconName>> = {
  serial: 'serial',
  product: 'product',
  order: 'order',
  position: 'position',
  task: 'task',
  issue: 'issue',
}

/** The first member of the query keys: what live updates call it. */
export const TAGS: Readonly<Record<HitKind, string>> = {
  serial: 'serial',
  product: 'product',
  order: 'production',
  position: 'inventory',
  task: 'task',
  issue: 'issue',
}

/** The page of a thing. */
export function pageOf(kind: HitKind, key: string): string {
  return `/${kind}/${encodeURIComponent(key)}`
}

/** What the page at an address is about, if it is about one thing. */
export function thingAt(path: string): { kind: HitKind; key: string } | undefined {
  const [, first, second] = path.split('/')
  const kind = KINDS.find((one) => one === first)
  const key = second === undefined ? '' : decoded(second)
  return kind === undefined || key === '' ? undefined : { kind, key }
}

/** Nothing for what only looks encoded, such as a key cut off within a letter. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}
