/*
 * Everything that is known about the job on the screen, with what waits for the line laid over it.
 */

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLive } from '@/live'
import { type OutboxEntry, useOutbox } from '@/outbox'
import { useSession } from '@/session'
import { NO_DRAFT, type WorkDraft, workDrafts } from './drafts'
import { entriesOf, overlay } from './logic/pending'
import { stillThere } from './logic/scrap'
import type { Batch, Job, JobDetail, Order, Unit, WorkSession } from './model'
import { batchQuery, configQuery, jobQuery, orderQuery, queueQuery, sessionQuery, unitsQuery } from './queries'
import { keepAlive, letRest } from './service'
import { useCell } from './store'

export interface Work {
  readonly me: string
  readonly canSend: boolean
  readonly supervisor: boolean
  /** Operators may take jobs of nobody. */
  readonly freeAllowed: boolean
  readonly job: JobDetail
  readonly order: Pick<Order, 'phase_sequence' | 'wo_bom'>
  readonly batch: Batch | null
  /** Of the active batch; null where units are not traced. */
  readonly units: readonly Unit[] | null
  /** The batch is being read. */
  readonly settling: boolean
  readonly session: WorkSession | null
  /** The user's own session is running. */
  readonly mine: boolean
  /** Another running job that needs this user. */
  readonly elsewhere: Job | null
  readonly online: boolean
  readonly pending: readonly OutboxEntry[]
  /** Refused while nobody looked. */
  readonly refused: readonly OutboxEntry[]
  /** An event is on its way. */
  readonly busy: boolean
  /** The line is cut, and what comes next depends on an answer. */
  readonly waiting: boolean
  readonly draft: WorkDraft
  readonly change: (draft: Partial<WorkDraft>) => void
}

/** What was marked as scrap and is still in the batch. */
function current(draft: WorkDraft, batch: Batch | null, units: readonly Unit[] | null): WorkDraft {
  if (!batch || draft.marks.length === 0) return draft
  return { ...draft, marks: stillThere(draft.marks, batch.qt_total, units?.map((unit) => unit.serial_key) ?? null) }
}

function useHeartbeat(job: JobDetail | undefined, session: WorkSession | null, me: string): void {
  const running = job?.active && session?.active && session.user_key === me && session.job_key === job._key
  const sessionKey = running ? session._key : null
  const jobKey = job?._key
  const silence = job?.parameters.max_offline ?? 0
  useEffect(() => {
    if (jobKey === undefined) return
    if (sessionKey === null) letRest(jobKey)
    else keepAlive(me, jobKey, sessionKey, silence)
  }, [jobKey, sessionKey, silence, me])
}

function useOthers(jobKey: string) {
  const { user_key: me } = useSession()
  const queue = useQuery(queueQuery(me))
  return (
    queue.data?.find((job) => job._key !== jobKey && job.active && !job.parameters.unsupervised_work_allowed) ?? null
  )
}

export type WorkState =
  | { readonly state: 'pending' }
  | { readonly state: 'failed'; readonly error: unknown; readonly retry: () => void }
  | { readonly state: 'ready'; readonly work: Work }

export function useWork(jobKey: string): WorkState {
  const { user_key: me, can } = useSession()
  const { pending, failed, online } = useOutbox()
  const job = useQuery(jobQuery(jobKey))
  const order = useQuery(orderQuery(job.data?.wo_key ?? ''))
  const batch = useQuery(batchQuery(job.data?.active_batch_key ?? null))
  const units = useQuery(unitsQuery(job.data?.traceability_level ? job.data.active_batch_key : null))
  const session = useQuery(sessionQuery(jobKey))
  const config = useQuery(configQuery)
  const elsewhere = useOthers(jobKey)
  const client = useQueryClient()
  const wo = job.data?.wo_key
  useLive(['production'], (notice) => notice.job_key === jobKey || (wo !== undefined && notice.work_order_key === wo))
  useLive(['issue'], (notice) => {
    if (notice.job_key === jobKey) void client.invalidateQueries({ queryKey: jobQuery(jobKey).queryKey })
    return undefined
  })
  const [draft, setDraft] = useCell(workDrafts, job.data?.active_batch_key ?? 'none')
  useHeartbeat(job.data, session.data ?? null, me)
  if (!job.data) {
    return job.isError ? { state: 'failed', error: job.error, retry: () => void job.refetch() } : { state: 'pending' }
  }
  const entries = entriesOf(pending, jobKey)
  const refused = entriesOf(failed, jobKey)
  const known = overlay(job.data, batch.data ?? null, online ? [] : entries)
  const traced = job.data.traceability_level !== null
  const hasBatch = job.data.active_batch_key !== null
  const unitList = traced && hasBatch ? (units.data ?? []) : null
  // Just after a start the last session is still being read, and it is this user's: who starts a job has it.
  const last = session.data?._key === job.data.last_work_session_started ? (session.data ?? null) : null
  const mine = last?.active ? last.user_key === me : known.job.active && known.job.assigned_to === me
  const kept = hasBatch ? current(draft, known.batch, traced ? (units.data ?? null) : null) : NO_DRAFT
  return {
    state: 'ready',
    work: {
      me,
      canSend: can('traceability:event:create'),
      supervisor: can('production:job:update'),
      freeAllowed: config.data?.show_unassigned_jobs_to_operators !== false,
      job: known.job,
      order: order.data ?? { phase_sequence: [job.data.phase_key], wo_bom: job.data.wo_bom },
      batch: hasBatch ? known.batch : null,
      units: unitList,
      settling: hasBatch && (batch.isPending || (traced && units.isPending)),
      session: last,
      mine,
      elsewhere,
      online,
      pending: entries,
      refused,
      busy: online && entries.length > 0 && refused.length === 0,
      waiting: known.waiting,
      draft: kept,
      change: (part) => setDraft({ ...workDrafts.get(job.data.active_batch_key ?? 'none'), ...part }),
    },
  }
}
