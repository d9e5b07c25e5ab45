/*
 * Sends an event by the outbox: it is kept before it is sent, always goes with the same key, and survives a cut line.
 */

import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { failureOf } from '@/api'
import { AnswerMissed, KeptRefusal, outboxRequest, useOutbox } from '@/outbox'
import { play } from '@/scan'
import { useSession } from '@/session'
import { refusalKey, refusals } from './drafts'
import type { SentEvent } from './logic/events'
import type { Accepted, JobDetail } from './model'
import { jobQuery } from './queries'

export interface SendOptions {
  /** Waits for no entry that was refused: `online` for what begins work, since it may be what mends them; `always` for what builds on
   * none of them. */
  readonly apart?: 'online' | 'always'
}

/** Null if the service refused it: then the words are with `refusals`. Null without words if another tab sent it and its answer was not
 * heard: what is known of the job is read again. */
export type Send = (event: SentEvent, label: string, options?: SendOptions) => Promise<Accepted | null>

export function useSend(jobKey: string): Send {
  const { enqueue, online } = useOutbox()
  const refusal = refusalKey(useSession().user_key, jobKey)
  const client = useQueryClient()
  return useCallback(
    async (event, label, { apart } = {}) => {
      refusals.set(refusal, null)
      // While the line is cut nobody waits for the answer here: a refusal then stays on the list of the frame.
      const rest = {
        group: apart && online ? undefined : jobKey,
        refused: online ? ('drop' as const) : ('keep' as const),
      }
      try {
        const request = outboxRequest('POST', '/event', { body: event, ...rest })
        const { detail } = await enqueue<{ detail: Accepted }>(request, label)
        const after = detail.job_data
        if (after?._key === jobKey) {
          client.setQueryData<JobDetail>(jobQuery(jobKey).queryKey, (old) => old && { ...old, ...after })
        }
        return detail
      } catch (error) {
        if (error instanceof AnswerMissed) return null
        if (!(error instanceof KeptRefusal)) refusals.set(refusal, failureOf(error))
        play('bad')
        return null
      } finally {
        void client.invalidateQueries({ queryKey: ['production'] })
      }
    },
    [client, enqueue, online, jobKey, refusal],
  )
}
