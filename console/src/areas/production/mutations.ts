import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { type ApiFailure, api, detail, failureOf, idempotent, type Schemas } from '@/api'
import { subtract } from '@/api/decimal'
import type { Job, Order } from './orders'
import { toSend } from './plan/sequence'
import { queueQuery } from './queries'

export type SentEvent = Schemas['SentEvent']
type JobUpdate = Schemas['JobUpdate']

/** Gives the site queue another beginning; orders that are not named follow as before. */
export function putQueue(keys: string[]) {
  return api.PUT('/queue', {
    params: { header: idempotent() },
    body: { type: 's', work_orders: keys } as Schemas['QueueInput'],
  })
}

interface Move {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** Sorts the queue: at once on the screen, and back again if the service refuses. */
export function useMove(onFailed: (failure: ApiFailure) => void) {
  const client = useQueryClient()
  return useMutation({
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
    onSettled: () => client.invalidateQueries({ queryKey: ['production'] }),
  })
}

function sorted(orders: readonly Order[], keys: readonly string[]): Order[] {
  const place = new Map(keys.map((key, at) => [key, at]))
  return orders.toSorted((a, b) => (place.get(a._key) ?? 0) - (place.get(b._key) ?? 0))
}

/** Does something to an order and reads it again. `act` answers whether it was done. */
export function useAct() {
  const client = useQueryClient()
  const [failure, setFailure] = useState<ApiFailure | null>(null)
  const [busy, setBusy] = useState(false)
  const act = useCallback(
    async (deed: () => Promise<unknown>): Promise<boolean> => {
      setBusy(true)
      setFailure(null)
      try {
        await deed()
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
    [client],
  )
  const clear = useCallback(() => setFailure(null), [])
  return { act, busy, failure, clear }
}

export type Act = ReturnType<typeof useAct>['act']

export function sendEvent(body: SentEvent) {
  return detail(api.POST('/event', { params: { header: idempotent() }, body }))
}

/** Changes jobs, all or none. */
export function updateJobs(updates: JobUpdate[]) {
  return detail(api.POST('/job/update', { params: { header: idempotent() }, body: updates }))
}

export function closeJobs(keys: readonly string[]) {
  return updateJobs(keys.map((key) => ({ action: 'close' as const, data: { _key: key } })))
}

export function assignJob(key: string, userKey: string | null) {
  return updateJobs([{ action: 'update', data: { _key: key, assigned_to: userKey } }])
}

/** Takes a part of a job away and gives it to a new one of the same phase, in one step. */
export function splitJob(job: Job, quantity: string, userKey: string | null) {
  const rest = subtract(job.qt_planned, quantity)
  const data = { work_order_key: job.wo_key, phase_key: job.phase_key, qt_planned: quantity, assigned_to: userKey }
  return updateJobs([
    { action: 'update', data: { _key: job._key, qt_planned: rest } },
    { action: 'insert', data },
  ])
}

export function changeOrder(key: string, body: Schemas['WorkOrderChange']) {
  return detail(
    api.PATCH('/work-order/{work_order_key}', {
      params: { path: { work_order_key: key }, header: idempotent() },
      body,
    }),
  )
}

export function changeQuantity(key: string, quantity: string) {
  return detail(
    api.PATCH('/work-order/{work_order_key}/update-quantities', {
      params: { path: { work_order_key: key }, header: idempotent() },
      body: { new_quantity: quantity },
    }),
  )
}

export function deleteOrder(key: string) {
  return api.DELETE('/work-order/{work_order_key}', {
    params: { path: { work_order_key: key }, header: idempotent() },
  })
}
