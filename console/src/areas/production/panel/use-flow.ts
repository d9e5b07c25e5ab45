/*
 * The work card: what the main button does, and how.
 */

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, idempotent } from '@/api'
import { clock } from '@/clock'
import { useText } from '@/i18n'
import { useOutbox } from '@/outbox'
import { useSession } from '@/session'
import { useGo } from '@/ui/Go'
import { benchOf } from './bench'
import { workDrafts } from './drafts'
import { firstFault, unanswered, withoutSent } from './logic/answers'
import type { Bench } from './logic/component-scan'
import { missingIn } from './logic/components'
import * as events from './logic/events'
import { endsBatch, type Left, leftOf, type Main, mainOf, type Situation } from './logic/main-button'
import { beginsAt, withStep } from './logic/pending'
import { scrapKeys } from './logic/scrap'
import { isLastOpen } from './logic/steps'
import { unlabelled } from './logic/unit-scan'
import { batchQuery, lastPauseQuery } from './queries'
import { type Begin, useBegin } from './use-begin'
import { faultyStep, type Place, usePlace } from './use-place'
import { useSend } from './use-send'
import type { Work } from './use-work'

export interface Flow {
  readonly work: Work
  readonly place: Place
  readonly begin: Begin
  readonly bench: Bench
  readonly main: Main
  /** What the step on the screen still lacks; null if nothing. */
  readonly left: Left | null
  readonly press: () => void
  readonly pause: () => void
  /** After silence, from the last sign of life or from now; what was refused meanwhile goes out again, in order. */
  readonly backOnline: (since: string | null) => void
  /** The service paused the job because it heard nothing. */
  readonly silent: boolean
  /** The unit whose components are scanned. */
  readonly takeInHand: (unitKey: string | null) => void
}

function situationOf(work: Work, place: Place, begin: Begin, bench: Bench): Situation {
  const { job, me } = work
  const demanded = job.traceability_level === 'complete'
  const { view, answers, at } = place
  return {
    canSend: work.canSend,
    supervisor: work.supervisor,
    stage: job.stage,
    active: job.active,
    hasBatch: job.active_batch_key !== null,
    assigned: job.assigned_to === null ? 'nobody' : job.assigned_to === me ? 'me' : 'other',
    freeAllowed: work.freeAllowed,
    busy: work.elsewhere !== null,
    mine: work.mine,
    supply: begin.supply || begin.loading,
    units: begin.kind,
    chosen: begin.kind === 'waiting' ? begin.chosen.length : begin.labels.length,
    held: work.refused.length > 0,
    online: work.online,
    waiting: work.waiting,
    step:
      view === null || answers === null || at === null
        ? null
        : {
            done: view.done,
            changed: answers.changed,
            question: place.question,
            questions: answers.questions.length,
            unanswered: unanswered(answers),
            lastOpen: isLastOpen(place.steps, at),
          },
    stepCheck: job.parameters.step_check,
    missing: demanded ? missingIn(bench.slots) : 0,
    unlabelled: unlabelled(work.units, scrapKeys(work.draft.marks)).length,
    scrap: work.draft.marks.length > 0,
    undecided: work.others.length > 0,
  }
}

export function useFlow(work: Work, scanned: string | undefined): Flow {
  const t = useText()
  const go = useGo()
  const client = useQueryClient()
  const { user_key: me } = useSession()
  const { job, batch, session } = work
  const send = useSend(job._key)
  const { retry } = useOutbox()
  const place = usePlace(work)
  const begin = useBegin(work, scanned)
  const [chosen, takeInHand] = useState<string | null>(scanned ?? null)
  const bench = benchOf(work, chosen)
  const situation = situationOf(work, place, begin, bench)
  const main = mainOf(situation)
  const stands = !job.active && job.active_batch_key !== null && work.online
  const pausedBy = useQuery(lastPauseQuery(job._key, stands))
  const mayGoOn = main.why === undefined || main.why === 'held'
  const silent = stands && mayGoOn && pausedBy.data?.event_type === 'JOB_PAUSED_OFFLINE'
  const what = { order: job.wo_code, phase: job.phase_alias }
  const now = () => clock.stamp(job._key, batch?.start, session?.active ? session.start : null)

  /** Saves what was answered so far; until it is sent with the step, the draft here is what counts. */
  const save = () => {
    const stepKey = place.view?.step._key
    const data = place.answers?.data ?? []
    const confirmed = place.view?.done && job.parameters.step_check
    if (!batch || stepKey === undefined || data.length === 0 || confirmed || !work.online) return
    const body = { batch_key: batch._key, step_key: stepKey, form_data: [...data] }
    void api.POST('/batch/temp-data', { body, params: { header: idempotent() } }).catch(() => undefined)
  }

  const start = async (act: 'start' | 'next' | 'resume') => {
    const units = act === 'resume' ? [] : begin.names()
    const event = act === 'start' ? events.jobStarted : events.jobResumed
    const at = beginsAt(work.refused, job.start, session?.end) ?? clock.stamp(job._key, job.start)
    const done = await send(event(job._key, units, at), t(`panel.sent.${act}`, what), { apart: 'online' })
    if (done) begin.clear()
  }

  const answer = () => {
    const field = place.answers?.questions[place.question]
    const stepKey = place.view?.step._key
    if (!field || stepKey === undefined) return
    if (place.answers?.faults.has(field.key)) return place.ask(stepKey, place.question)
    save()
    place.go(place.question + 1)
  }

  /** Of the step on the screen, as they are stored now. */
  const answersNow = () => (place.at === null ? null : place.answersAt(place.at))

  /** Whether the step on the screen is answered; otherwise its faults are shown. */
  const isAnswered = (): boolean => {
    const { view } = place
    const answers = answersNow()
    const wrong = answers ? firstFault(answers) : -1
    if (wrong < 0 || !view) return true
    place.ask(view.step._key, wrong)
    return false
  }

  const finishStep = async () => {
    const { view } = place
    const answers = answersNow()
    if (!view || !answers || !batch || !isAnswered()) return
    const stepKey = view.step._key
    if (!job.parameters.step_check) {
      save()
      work.change(({ through }) => ({ through: [...through, stepKey] }))
      return place.open(null)
    }
    const { draft, others } = work.kept()
    const ends = endsBatch({ ...situation, scrap: draft.marks.length > 0, undecided: others.length > 0 })
    const critical = draft.flagged.includes(stepKey)
    const step = { jobKey: job._key, batchKey: batch._key, stepKey, data: answers.data, critical, ends }
    const label = t('panel.sent.step', { ...what, step: view.step.title })
    const event = events.stepCompleted(step, now())
    const sent = send(event, label)
    if (!work.online) place.open(null)
    if (!(await sent)) return
    if (ends) workDrafts.clear(batch._key)
    else {
      client.setQueryData(batchQuery(batch._key).queryKey, (old) => old && withStep(old, event))
      work.change((kept) => withoutSent(kept, stepKey, draft.answers[stepKey]))
    }
    place.open(null)
  }

  const finishBatch = async () => {
    const { draft, others } = work.kept()
    if (!batch || others.length > 0 || !isAnswered()) return
    const unchecked = !job.parameters.step_check
    const wrong = unchecked ? faultyStep(place) : null
    if (wrong) return place.ask(wrong.step, wrong.question)
    const steps = place.steps.map(({ step }, index) => ({
      key: step._key,
      data: place.answersAt(index)?.data ?? [],
      critical: draft.flagged.includes(step._key),
    }))
    const done = { jobKey: job._key, batchKey: batch._key, total: batch.qt_total, marks: draft.marks }
    const event = events.batchCompleted({ ...done, steps: unchecked ? steps : null }, now())
    if (await send(event, t('panel.sent.batch', what))) workDrafts.clear(batch._key)
  }

  const editStep = async () => {
    const { view } = place
    const answers = answersNow()
    if (!view?.recordKey || !answers || !isAnswered()) return
    const label = t('panel.sent.edit', { ...what, step: view.step.title })
    if (!(await send(events.stepEdited(job._key, view.recordKey, answers.data, clock.stamp(job._key)), label))) return
    work.change(({ answers: { [view.step._key]: _, ...answers } }) => ({ answers }))
    place.open(null)
  }

  const press = () => {
    if (main.why !== undefined || work.busy) return
    if (main.act === 'start' || main.act === 'next' || main.act === 'resume') return void start(main.act)
    if (main.act === 'answer') return answer()
    if (main.act === 'onward') {
      save()
      return place.open(null)
    }
    if (main.act === 'step') return void finishStep()
    if (main.act === 'edit') return void editStep()
    if (main.act === 'batch') return void finishBatch()
    if (main.act === 'leave') go('/panel')
  }

  const pause = () => {
    // What waits for the line may belong to a later session by then.
    const sessionKey = session?.active && work.online ? session._key : null
    const forced = session?.user_key !== undefined && session.user_key !== me
    save()
    const event = forced ? events.jobPauseForced : events.jobPaused
    void send(event(job._key, sessionKey, now()), t('panel.sent.pause', what))
  }

  const backOnline = async (since: string | null) => {
    const kept = work.refused.map(({ key }) => key)
    const done = await send(events.jobBackOnline(job._key, since), t('panel.sent.back', what), { apart: 'online' })
    if (done) for (const key of kept) retry(key)
  }

  return {
    work,
    place,
    begin,
    bench,
    main,
    left: leftOf(situation),
    press,
    pause,
    backOnline: (since) => void backOnline(since),
    takeInHand,
    silent,
  }
}
