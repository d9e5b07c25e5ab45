/*
 * Taking an order or a job by scan: the code of an order, or of a unit that the order makes.
 */

import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { api, bare, detail } from '@/api'
import { type Text, useText } from '@/i18n'
import type { ScanAnswer, Scanned } from '@/scan'
import { sameCode } from '@/scan/resolve'
import { fullName, useSession } from '@/session'
import { useGo } from '@/ui/Go'
import { isTypedSomewhere } from '@/ui/leaving'
import { type Bands, bandsOf, meantBy } from './logic/bands'
import { codeIn, keyIn } from './logic/scanned'
import type { Job, Order, Serial } from './model'
import { configQuery, queueQuery, readAfresh, unassignedQuery } from './queries'
import { unitsWithCode } from './service'
import { useTurns } from './turns'

export function workPage(jobKey: string, unitKey?: string): string {
  const page = `/panel/job/${encodeURIComponent(jobKey)}`
  return unitKey === undefined ? page : `${page}?unit=${encodeURIComponent(unitKey)}`
}

/** What people call a job. */
export function jobName(job: Pick<Job, 'wo_code' | 'phase_alias'>): string {
  return `${job.wo_code} · ${job.phase_alias}`
}

/** Whether the job works on the unit, or the unit waits in front of it. */
async function hasUnit(job: Job, unitKey: string): Promise<boolean> {
  const params = { path: { batch_key: job.active_batch_key ?? '' } }
  const units = job.active_batch_key
    ? await bare(api.GET('/batch/{batch_key}/serials', { params }))
    : await bare(api.GET('/wip-serial', { params: { query: { job_key: job._key } } }))
  return units.some(({ serial_key }) => serial_key === unitKey)
}

async function jobOfUnit(bands: Bands, unit: Serial): Promise<Job | null> {
  const all = [...bands.running, ...bands.ready, ...bands.expected].map(({ job }) => job)
  for (const job of all.filter((one) => one.wo_key === unit.wo_key)) if (await hasUnit(job, unit._key)) return job
  return null
}

async function findOrder(code: string | null, key: string | null): Promise<Order | null> {
  if (code === null && key === null) return null
  const query = { search: code ?? '', limit: 50 }
  if (code === null) {
    return detail(api.GET('/work-order/{work_order_key}', { params: { path: { work_order_key: key ?? '' } } }))
  }
  const found = await detail(api.GET('/work-order', { params: { query } }))
  return found.find((order) => sameCode(order.wo_code, code)) ?? null
}

/** Why an order that exists can't be taken. */
function whyNot(t: Text, { wo_code: order, status, jobs }: Order): ScanAnswer {
  if (status === 'closed') return { ok: false, say: t('panel.take.done', { order }) }
  const open = jobs.filter(({ stage, assigned_user }) => stage !== 'closed' && assigned_user !== null)
  const who = [...new Set(open.map(({ assigned_user }) => fullName(assigned_user ?? {})))].join(', ')
  return { ok: false, say: who === '' ? t('panel.take.nobody', { order }) : t('panel.take.others', { order, who }) }
}

/** What the user can work on. */
async function bandsFor(client: QueryClient, me: string, read: typeof readAfresh): Promise<Bands> {
  const [own, unassigned, config] = await Promise.all([
    read(client, queueQuery(me)),
    read(client, unassignedQuery(me)),
    client.fetchQuery(configQuery),
  ])
  return bandsOf(own, config.show_unassigned_jobs_to_operators === false ? [] : unassigned, new Date())
}

/** A job, and the unit whose code led to it. */
interface Meant {
  readonly job: Job
  readonly unitKey?: string
}

/** The order with the scanned code or key, if the user can work on it. */
function ofOrder(bands: Bands, scan: Scanned): Meant | null {
  const code = codeIn(scan)
  const orderKey = keyIn(scan, 'order')
  const job = meantBy(bands, (one) => (code !== null ? sameCode(one.wo_code, code) : one.wo_key === orderKey))
  return job && { job }
}

async function ofUnit(bands: Bands, units: readonly Serial[]): Promise<Meant | null> {
  for (const unit of units) {
    const job = await jobOfUnit(bands, unit)
    if (job) return { job, unitKey: unit._key }
  }
  return null
}

export type Take = (scan: Scanned) => Promise<ScanAnswer>

/** Answers undefined if the scan is neither an order nor a unit of one of the user's jobs. */
export function useTake(): Take {
  const t = useText()
  const go = useGo()
  const client = useQueryClient()
  const turns = useTurns()
  const { user_key: me } = useSession()
  const taken = ({ job, unitKey }: Meant): ScanAnswer => {
    if (isTypedSomewhere()) return { ok: false, say: t('typed.scan') }
    go(workPage(job._key, unitKey))
    return { ok: true, say: jobName(job) }
  }
  const take = async (scan: Scanned): Promise<ScanAnswer> => {
    const code = codeIn(scan)
    const listed = await bandsFor(client, me, (_client, query) => client.fetchQuery(query))
    const byOrder = ofOrder(listed, scan)
    if (byOrder) return taken(byOrder)
    const units = code === null ? [] : await unitsWithCode(code)
    const byUnit = await ofUnit(listed, units)
    if (byUnit) return taken(byUnit)
    const order = await findOrder(code, keyIn(scan, 'order'))
    if (!order && units.length === 0) return undefined
    // It may be newer than the lists.
    const now = await bandsFor(client, me, readAfresh)
    const newer = ofOrder(now, scan) ?? (await ofUnit(now, units))
    if (newer) return taken(newer)
    return order ? whyNot(t, order) : undefined
  }
  return (scan) => turns.take(() => take(scan))
}
