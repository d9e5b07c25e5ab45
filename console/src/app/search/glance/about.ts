/*
 * What a thing is about: the names of what it is linked to, and where they lead.
 */

import type { Schemas } from '@/api'
import { pageOf } from '../kinds'

export type LinkType = Schemas['IssueLinkType'] | Schemas['TaskLinkType']

export interface ThingLink {
  readonly type: LinkType
  readonly key: string
  readonly code: string | null
}

/** What the service tells about the linked things, as far as it does. */
export interface LinkedThings {
  readonly job?: Schemas['Job'] | undefined
  readonly phase?: Schemas['Phase'] | undefined
  readonly products: readonly Pick<Schemas['ProductDetail'], '_key' | 'description'>[]
  readonly orders: readonly Schemas['WorkOrder'][]
  readonly serials: readonly Schemas['Serial'][]
  readonly issues: readonly Schemas['Issue'][]
  readonly tasks: readonly Schemas['Task'][]
}

const NONE: LinkedThings = { products: [], orders: [], serials: [], issues: [], tasks: [] }

function some<One>(...ones: (One | null | undefined)[]): One[] {
  return ones.filter((one): one is One => one !== null && one !== undefined)
}

export function ofIssue(links: Schemas['IssueLinks'] | null | undefined): LinkedThings {
  if (!links) return NONE
  return {
    ...NONE,
    job: links.job ?? undefined,
    phase: links.phase ?? undefined,
    products: some(links.product),
    orders: some(links.work_order),
    serials: some(links.serial),
  }
}

export function ofTask(links: readonly Schemas['TaskLink'][]): LinkedThings {
  const all = <One>(type: LinkType) => some(...links.map((link) => (link.type === type ? (link.l as One) : null)))
  return {
    products: all('product'),
    orders: all('work_order'),
    serials: all('serial'),
    issues: all('issue'),
    tasks: all('task'),
  }
}

/** What is gone has no code any more; a unit may not have one yet. */
export function isThere({ type, key, code }: ThingLink, { serials }: LinkedThings): boolean {
  return code !== null || (type === 'serial' && serials.some(({ _key }) => _key === key))
}

/** The page of what is linked. A job is on the page of its order, a phase on that of its product. */
export function addressOf({ type, key }: ThingLink, { job, phase }: LinkedThings): string | undefined {
  switch (type) {
    case 'serial':
    case 'product':
    case 'issue':
    case 'task':
      return pageOf(type, key)
    case 'work_order':
      return pageOf('order', key)
    case 'job':
      return job?._key === key ? pageOf('order', job.wo_key) : undefined
    case 'phase':
      return phase?._key === key ? `${pageOf('product', phase.product_key)}/process` : undefined
    default:
      return undefined
  }
}

/** The product of that key, by any of the things that name it. */
function productName(key: string, { products, orders, job }: LinkedThings): string | undefined {
  const named = [
    ...products.map(({ _key, description }) => ({ key: _key, description })),
    ...orders.map(({ product_key, product_description }) => ({ key: product_key, description: product_description })),
    ...some(job).map(({ product_key, product_description }) => ({
      key: product_key,
      description: product_description,
    })),
  ]
  return named.find((one) => one.key === key)?.description ?? undefined
}

/** What stands beside the code. */
export function nameOf({ type, key }: ThingLink, things: LinkedThings): string | undefined {
  switch (type) {
    case 'product':
      return productName(key, things)
    case 'serial': {
      const serial = things.serials.find(({ _key }) => _key === key)
      return serial && productName(serial.product_key, things)
    }
    case 'work_order':
      return things.orders.find(({ _key }) => _key === key)?.product_description ?? undefined
    case 'job':
      return things.job?._key === key ? things.job.phase_alias : undefined
    case 'task':
      return things.tasks.find(({ _key }) => _key === key)?.title ?? undefined
    case 'issue':
      return things.issues.find(({ _key }) => _key === key)?.issue_type_name ?? undefined
    default:
      return undefined
  }
}
