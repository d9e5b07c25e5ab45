/*
 * Everything that is known about the job on the screen, with what waits for the line laid over it.
 */

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { useLive } from '@/live'
import { type OutboxEntry, useOutbox } from '@/outbox'
import { fullName, useSession } from '@/session'
import { type Author, followDrafts, NO_DRAFT, type OthersMarks, type WorkDraft, workDrafts } from './drafts'
import { entriesOf, overlay } from './logic/pending'
import { type Mark, stillThere } from './logic/scrap'
import type { Batch, Job, JobDetail, Order, Unit, WorkSession } from './model'
import {
  batchQuery,
  configQuery,
  criticalIssuesQuery,
  jobQuery,
  orderQuery,
  queueQuery,
  sessionQuery,
  unitsQuery,
} from './queries'
import { keepAlive, letRest } from './service'

interface Kept {
  readonly draft: WorkDraft
  readonly others: readonly OthersMarks[]
}

export interface Work {
  readonly me: string
  readonly canSend: boolean
  readonly supervisor: boolean
  /** Operators may take jobs of nobody. */
  readonly freeAllowed: boolean
  readonly job: JobDetail
  readonly order: Pick<Order, 'phase_sequence' | 'wo_bom' | 'jobs'>
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
  /** What other users of this device have marked as scrap. */
  readonly others: readonly OthersMarks[]
  /** The same as they are stored now: another tab may have changed them since they were shown. */
  readonly kept: () => Kept
  readonly change: (part: (draft: WorkDraft) => Partial<WorkDraft>) => void
  readonly takeOver: (from: Author) => void
  readonly dropMarks: (from: Author) => void
}

/** What this device keeps for the batch; of what was marked as scrap, only what is still in the batch. `units` is undefined until they
 * are read. */
function keptFor(batchKey: string | null, me: string, batch: Batch | null, units?: readonly Unit[] | null): Kept {
  if (batchKey === null) return { draft: NO_DRAFT, others: [] }
  const keys = units?.map((unit) => unit.serial_key) ?? null
  const read = batch !== null && units !== undefined
  const current = (marks: readonly Mark[]) => (read ? stillThere(marks, batch.qt_total, keys) : marks)
  const draft = workDrafts.get(batchKey, me)
  const others = workDrafts.others(batchKey, me).map(({ author, marks }) => ({ author, marks: current(marks) }))
  return { draft: { ...draft, marks: current(draft.marks) }, others: others.filter(({ marks }) => marks.length > 0) }
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
  const user = useSession()
  const { user_key: me, can } = user
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
    if (notice.job_key !== jobKey) return undefined
    void client.invalidateQueries({ queryKey: jobQuery(jobKey).queryKey })
    void client.invalidateQueries({ queryKey: criticalIssuesQuery(jobKey, true).queryKey })
    return undefined
  })
  useSyncExternalStore(workDrafts.subscribe, workDrafts.version)
  useEffect(followDrafts, [])
  useHeartbeat(job.data, session.data ?? null, me)
  if (!job.data) {
    return job.isError ? { state: 'failed', error: job.error, retry: () => void job.refetch() } : { state: 'pending' }
  }
  const entries = entriesOf(pending, jobKey)
  const refused = entriesOf(failed, jobKey)
  const known = overlay(job.data, batch.data ?? null, online ? [] : entries)
  const traced = job.data.traceability_level !== null
  const batchKey = job.data.active_batch_key
  const hasBatch = batchKey !== null
  const unitList = traced && hasBatch ? (units.data ?? []) : null
  // Just after a start the last session is still being read, and it is this user's: who starts a job has it.
  const last = session.data?._key === job.data.last_work_session_started ? (session.data ?? null) : null
  const mine = last?.active ? last.user_key === me : known.job.active && known.job.assigned_to === me
  const kept = () => keptFor(batchKey, me, known.batch, traced ? units.data : null)
  const author: Author = { key: me, name: fullName(user) }
  return {
    state: 'ready',
    work: {
      me,
      canSend: can('traceability:event:create'),
      supervisor: can('production:job:update'),
      freeAllowed: config.data?.show_unassigned_jobs_to_operators !== false,
      job: known.job,
      order: order.data ?? { phase_sequence: [job.data.phase_key], wo_bom: job.data.wo_bom, jobs: [job.data] },
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
      ...kept(),
      kept,
      change: (part) => batchKey !== null && workDrafts.change(batchKey, author, part),
      takeOver: (from) => batchKey !== null && workDrafts.takeOver(batchKey, from, author),
      dropMarks: (from) => batchKey !== null && workDrafts.dropMarks(batchKey, from),
    },
  }
}
