/*
 * The search itself: each kind asks the operations of its own list.
 */

import { api, bare, pageOf as page, pageOfDetail, type Schemas } from '@/api'
import type { HitKind } from '@/scan'
import { taskDay } from '@/ui/days'
import { issueState, orderState, type StateOf } from '@/ui/states'
import { anywhere } from './meaning'
import { type Group, ranked } from './rank'

/** The state of a found thing, ready for `StatusMark`. */
export type FoundState = { [K in StatedKind]: { readonly of: K; readonly state: StateOf<K> } }[StatedKind]
type StatedKind = 'serial' | 'place' | 'order' | 'task' | 'issue'

export interface Found {
  readonly kind: HitKind
  readonly key: string
  readonly code: string | null
  readonly name: string | null
  readonly state?: FoundState | undefined
  /** What tells it from others with the same code: codes, quantities. */
  readonly details: readonly Detail[]
}

export type Detail =
  | { readonly label: 'product' | 'order' | 'in' | 'type'; readonly code: string; readonly text?: string | null }
  | { readonly label: 'released' | 'created' | 'due' | 'deleted'; readonly at: string }
  | { readonly label: 'inactive' | 'outside' | 'carrier' }

type Serial = Schemas['SerialFound']

export function foundSerial(serial: Serial): Found {
  const { product, wo_code, released, created, deleted } = serial
  const details: Detail[] = []
  if (product) details.push({ label: 'product', code: product.code, text: product.description })
  if (wo_code !== null) details.push({ label: 'order', code: wo_code })
  if (deleted !== null) details.push({ label: 'deleted', at: deleted })
  else details.push(released === null ? { label: 'created', at: created } : { label: 'released', at: released })
  const state: FoundState = { of: 'serial', state: serial.state }
  return { kind: 'serial', key: serial._key, code: serial.code, name: null, state, details }
}

/** The units among hits of which only a further request tells whether they have left. */
export function releasedIn(groups: readonly Group<Found>[]): string[] {
  const hits = groups.flatMap((group) => group.hits)
  return hits.flatMap(({ key, state }) => (state?.of === 'serial' && state.state === 'released' ? [key] : []))
}

/** The hits with those units marked that have left. */
export function markShipped(groups: readonly Group<Found>[], shipped: ReadonlySet<string>): Group<Found>[] {
  const marked = (hit: Found): Found =>
    hit.kind === 'serial' && shipped.has(hit.key) ? { ...hit, state: { of: 'place', state: 'shipped' } } : hit
  return groups.map((group) => ({ ...group, hits: group.hits.map(marked) }))
}

interface Request {
  readonly text: string
  readonly limit: number
  readonly signal: AbortSignal
}

type Answer = Group<Found>

/** The exact code is asked for on its own: among many codes that contain it, it could be far behind. */
async function exactSerials({ text, signal }: Request): Promise<Found[]> {
  const exact = await bare(api.GET('/serial-code', { params: { query: { serial_code: text, limit: 50 } }, signal }))
  if (exact.length === 0) return []
  const query = { serial_key: exact.map(({ _key }) => _key), limit: 50 }
  return (await bare(api.GET('/serial', { params: { query }, signal }))).map(foundSerial)
}

async function findSerials(request: Request): Promise<Answer> {
  const { text, limit, signal } = request
  const search = (pattern: string, count: boolean) => {
    const order = { sort_by: 'code' as const, sorting_order: 'asc' as const }
    const query = { serial_search: pattern, ...order, limit, count }
    return page(0, api.GET('/serial', { params: { query }, signal }))
  }
  const wild = /[*?\\]/.test(text)
  const [exact, starts, contains] = await Promise.all([
    exactSerials(request),
    wild ? { rows: [] } : search(`${text}*`, false),
    search(text, true),
  ])
  const hits = [...exact, ...[...starts.rows, ...contains.rows].map(foundSerial)]
  return { kind: 'serial', hits: ranked(hits, text).slice(0, limit), total: contains.total }
}

async function findProducts({ text, limit, signal }: Request): Promise<Answer> {
  const wild = /[*?]/.test(text)
  const words = wild ? { search_string: text, search_description: true } : { include_text: text }
  const search = (query: typeof words | { search_string: string }, count: boolean) =>
    page(0, api.GET('/product', { params: { query: { ...query, active_only: false, limit, count } }, signal }))
  const [starts, contains] = await Promise.all([
    wild ? { rows: [] } : search({ search_string: `${text}*` }, false),
    search(words, true),
  ])
  const hits = [...starts.rows, ...contains.rows].map((product): Found => {
    const details: Detail[] = product.active ? [] : [{ label: 'inactive' }]
    return { kind: 'product', key: product._key, code: product.code, name: product.description, details }
  })
  return { kind: 'product', hits: ranked(hits, text).slice(0, limit), total: contains.total }
}

async function findOrders({ text, limit, signal }: Request): Promise<Answer> {
  const query = { search: text.replaceAll(/[*?]/g, ''), limit: Math.max(limit, 20), count: true }
  const { rows, total } = await pageOfDetail(0, api.GET('/work-order', { params: { query }, signal }))
  const hits = rows.map((order): Found => {
    const details: Detail[] = [{ label: 'product', code: order.product_code, text: order.product_description }]
    if (order.due_by !== null) details.push({ label: 'due', at: order.due_by })
    const state: FoundState = { of: 'order', state: orderState(order) }
    return { kind: 'order', key: order._key, code: order.wo_code, name: order.project_code, state, details }
  })
  return { kind: 'order', hits: ranked(hits, text).slice(0, limit), total }
}

async function findPositions({ text, limit, signal }: Request): Promise<Answer> {
  const within = (root: string) => {
    const query = { search: anywhere(text), is_in_position: root, limit: Math.max(limit, 20), count: true }
    return page(0, api.GET('/position', { params: { query }, signal }))
  }
  const [inside, outside] = await Promise.all([within('IN'), within('OUT')])
  const found = (position: Schemas['Position'], away: boolean): Found => {
    const details: Detail[] = []
    if (away) details.push({ label: 'outside' })
    if (!position.fixed) details.push({ label: 'carrier' })
    return { kind: 'position', key: position._key, code: position.code, name: null, details }
  }
  const hits = [...inside.rows.map((one) => found(one, false)), ...outside.rows.map((one) => found(one, true))]
  const total = (inside.total ?? 0) + (outside.total ?? 0)
  return { kind: 'position', hits: ranked(hits, text).slice(0, limit), total }
}

async function findTasks({ text, limit, signal }: Request): Promise<Answer> {
  const search = (query: { code: string } | { search: string }) =>
    bare(api.GET('/task', { params: { query: { ...query, limit: Math.max(limit, 20) } }, signal }))
  const found = await Promise.all([search({ code: anywhere(text) }), search({ search: text })])
  const hits = found.flat().map((task): Found => {
    const details: Detail[] = []
    if (task.task_type_name) details.push({ label: 'type', code: task.task_type_name })
    if (task.due_by !== null) details.push({ label: 'due', at: taskDay(task.due_by) })
    const state: FoundState = { of: 'task', state: task.status }
    return { kind: 'task', key: task._key, code: task.code, name: task.title, state, details }
  })
  const all = ranked(hits, text)
  return { kind: 'task', hits: all.slice(0, limit), total: all.length < limit ? all.length : null }
}

async function findIssues({ text, limit, signal }: Request): Promise<Answer> {
  const { rows, total } = await page(
    0,
    api.GET('/issue', { params: { query: { search: text, limit, count: true } }, signal }),
  )
  const hits = rows.map((issue): Found => {
    const about = issue.linked_to.find(({ type }) => type === 'serial' || type === 'work_order' || type === 'product')
    const details: Detail[] = []
    if (about?.code) details.push({ label: 'in', code: about.code })
    details.push({ label: 'created', at: issue.created })
    const state: FoundState = { of: 'issue', state: issueState(issue) }
    const code = issue._key === text.trim() ? issue._key : null
    return { kind: 'issue', key: issue._key, code, name: issue.title ?? issue.issue_type_name, state, details }
  })
  return { kind: 'issue', hits: ranked(hits, text), total }
}

export const FIND: Readonly<Record<HitKind, (request: Request) => Promise<Answer>>> = {
  serial: findSerials,
  product: findProducts,
  order: findOrders,
  position: findPositions,
  task: findTasks,
  issue: findIssues,
}

/** Units that had this code and were deleted: their code finds nothing any more, but they can still be read. */
export async function findDeleted(code: string, signal: AbortSignal): Promise<Found[]> {
  const query = { serial_search: code, state: ['deleted' as const], limit: 20 }
  const found = await bare(api.GET('/serial', { params: { query }, signal }))
  return found.filter((serial) => serial.code?.toUpperCase() === code.trim().toUpperCase()).map(foundSerial)
}
