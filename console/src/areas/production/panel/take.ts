/*
 * Taking an order or a job by scan: the code of an order, or of a unit that the order makes.
 */

import { useQueryClient } from '@tanstack/react-query'
import { api, bare, detail } from '@/api'
import { type Text, useText } from '@/i18n'
import type { ScanAnswer, Scanned } from '@/scan'
import { sameCode } from '@/scan/resolve'
import { fullName, useSession } from '@/session'
import { useGo } from '@/ui/Go'
import { type Bands, bandsOf, meantBy } from './logic/bands'
import { codeIn, keyIn } from './logic/scanned'
import type { Job, Order, Serial } from './model'
import { configQuery, queueQuery, unassignedQuery } from './queries'
import { unitsWithCode } from './service'

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

export type Take = (scan: Scanned) => Promise<ScanAnswer>

/** Answers undefined if the scan is neither an order nor a unit of one of the user's jobs. */
export function useTake(): Take {
  const t = useText()
  const go = useGo()
  const client = useQueryClient()
  const { user_key: me } = useSession()
  return async (scan) => {
    const [own, unassigned, config] = await Promise.all([
      client.fetchQuery(queueQuery(me)),
      client.fetchQuery(unassignedQuery(me)),
      client.fetchQuery(configQuery),
    ])
    const free = config.show_unassigned_jobs_to_operators === false ? [] : unassigned
    const bands = bandsOf(own, free, new Date())
    const code = codeIn(scan)
    const orderKey = keyIn(scan, 'order')
    const taken = (job: Job, unitKey?: string): ScanAnswer => {
      go(workPage(job._key, unitKey))
      return { ok: true, say: jobName(job) }
    }
    const job = meantBy(bands, (one) =>
      code !== null ? sameCode(one.wo_code, code) : orderKey !== null && one.wo_key === orderKey,
    )
    if (job) return taken(job)
    for (const unit of code === null ? [] : await unitsWithCode(code)) {
      const its = await jobOfUnit(bands, unit)
      if (its) return taken(its, unit._key)
    }
    const order = await findOrder(code, orderKey)
    return order ? whyNot(t, order) : undefined
  }
}
