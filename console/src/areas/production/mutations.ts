import { mutationOptions, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { type ApiFailure, api, detail, failureOf, idempotent, type Schemas } from '@/api'
import { subtract } from '@/api/decimal'
import type { Job, Order } from './orders'
import { toSend } from './plan/sequence'
import { queueQuery } from './queries'
import { Sending, settling } from './sending'

export type SentEvent = Schemas['SentEvent']
type JobUpdate = Schemas['JobUpdate']

/** Gives the site queue another beginning; orders that are not named follow as before. */
export function putQueue(keys: string[], sending = new Sending()) {
  const body = { type: 's', work_orders: keys } as Schemas['QueueInput']
  return api.PUT('/queue', { params: { header: headerOf(sending, ['queue', body]) }, body })
}

function headerOf(sending: Sending, request: unknown) {
  return idempotent(sending.keyFor(request))
}

interface Move {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

const MOVE = ['queue-move']

/** Sorts the queue: at once on the screen, and back again if the service refuses. One move goes out after the other. */
export function moveOptions(client: QueryClient, onFailed: (failure: ApiFailure) => void) {
  return mutationOptions({
    mutationKey: MOVE,
    scope: { id: 'queue' },
    mutationFn: ({ before, after }: Move) => putQueue(toSend(before, after)),
    onMutate: async ({ after }) => {
      await client.cancelQueries({ queryKey: queueQuery.queryKey })
      const old = client.getQueryData(queueQuery.queryKey)
      client.setQueryData(queueQuery.queryKey, (orders) => orders && sorted(orders, after))
      return old
    },
    onError: (error, _move, old) => {
      client.setQueryData(queueQuery.queryKey, old)
      onFailed(failureOf(error))
    },
    // While another move waits, what the service has would undo it on the screen.
    onSettled: async () => {
      if (client.isMutating({ mutationKey: MOVE }) === 1) await client.invalidateQueries({ queryKey: ['production'] })
    },
  })
}

export function useMove(onFailed: (failure: ApiFailure) => void) {
  return useMutation(moveOptions(useQueryClient(), onFailed))
}

function sorted(orders: readonly Order[], keys: readonly string[]): Order[] {
  const place = new Map(keys.map((key, at) => [key, at]))
  return orders.toSorted((a, b) => (place.get(a._key) ?? 0) - (place.get(b._key) ?? 0))
}

/** Does something to an order and reads it again. `act` answers whether it was done; done again after a lost answer, it is done once. */
export function useAct() {
  const client = useQueryClient()
  const [sending] = useState(() => new Sending())
  const [failure, setFailure] = useState<ApiFailure | null>(null)
  const [busy, setBusy] = useState(false)
  const act = useCallback(
    async (deed: (sending: Sending) => Promise<unknown>): Promise<boolean> => {
      setBusy(true)
      setFailure(null)
      try {
        await settling(sending, () => deed(sending))
        return true
      } catch (error) {
        setFailure(failureOf(error))
        return false
      } finally {
        setBusy(false)
        void client.invalidateQueries({ queryKey: ['production'] })
        void client.invalidateQueries({ queryKey: ['batch'] })
      }
    },
    [client, sending],
  )
  const clear = useCallback(() => setFailure(null), [])
  return { act, busy, failure, clear, sending }
}

export type Act = ReturnType<typeof useAct>['act']

export function sendEvent(sending: Sending, body: SentEvent) {
  return detail(api.POST('/event', { params: { header: headerOf(sending, ['event', body]) }, body }))
}

/** Changes jobs, all or none. */
export function updateJobs(sending: Sending, updates: JobUpdate[]) {
  return detail(api.POST('/job/update', { params: { header: headerOf(sending, ['jobs', updates]) }, body: updates }))
}

export function closeJobs(sending: Sending, keys: readonly string[]) {
  return updateJobs(
    sending,
    keys.map((key) => ({ action: 'close' as const, data: { _key: key } })),
  )
}

export function assignJob(sending: Sending, key: string, userKey: string | null) {
  return updateJobs(sending, [{ action: 'update', data: { _key: key, assigned_to: userKey } }])
}

/** What a split is known by while its answer is open. */
export function splitName(job: Pick<Job, '_key'>, quantity: string, userKey: string | null): readonly unknown[] {
  return ['split', job._key, quantity, userKey]
}

/** What is planned for a job now; the page may have read it a while ago. */
async function plannedOf(job: Job) {
  const params = { path: { work_order_key: job.wo_key } }
  const { jobs } = await detail(api.GET('/work-order/{work_order_key}', { params }))
  return (jobs.find(({ _key }) => _key === job._key) ?? job).qt_planned
}

/** Takes a part of a job away and gives it to a new one of the same phase, in one step. */
export async function splitJob(sending: Sending, job: Job, quantity: string, userKey: string | null) {
  const updates = await sending.madeOnce(splitName(job, quantity, userKey), async (): Promise<JobUpdate[]> => {
    const rest = subtract(await plannedOf(job), quantity)
    const data = { work_order_key: job.wo_key, phase_key: job.phase_key, qt_planned: quantity, assigned_to: userKey }
    return [
      { action: 'update', data: { _key: job._key, qt_planned: rest } },
      { action: 'insert', data },
    ]
  })
  return updateJobs(sending, updates)
}

export function changeOrder(sending: Sending, key: string, body: Schemas['WorkOrderChange']) {
  return detail(
    api.PATCH('/work-order/{work_order_key}', {
      params: { path: { work_order_key: key }, header: headerOf(sending, ['order', key, body]) },
      body,
    }),
  )
}

export function changeQuantity(sending: Sending, key: string, quantity: string) {
  return detail(
    api.PATCH('/work-order/{work_order_key}/update-quantities', {
      params: { path: { work_order_key: key }, header: headerOf(sending, ['quantity', key, quantity]) },
      body: { new_quantity: quantity },
    }),
  )
}

export function deleteOrder(sending: Sending, key: string) {
  return api.DELETE('/work-order/{work_order_key}', {
    params: { path: { work_order_key: key }, header: headerOf(sending, ['delete', key]) },
  })
}
