/*
 * The one main button: what it does next, and why it can't.
 */

export type Act = 'wait' | 'start' | 'next' | 'resume' | 'answer' | 'step' | 'batch' | 'edit' | 'onward' | 'leave'

export type Why =
  | 'held'
  | 'noRight'
  | 'other'
  | 'unassigned'
  | 'busy'
  | 'supply'
  | 'pick'
  | 'labels'
  | 'theirs'
  | 'label'
  | 'components'
  | 'marks'

export interface Main {
  readonly act: Act
  /** Why it can't be pressed; absent if it can. */
  readonly why?: Why
  /** How many labels or components it waits for. */
  readonly count?: number
  /** Pressing it ends the batch. */
  readonly closes?: boolean
}

export interface Situation {
  /** Whether the user may send events at all. */
  readonly canSend: boolean
  readonly supervisor: boolean
  readonly stage: 'created' | 'started' | 'closed'
  readonly active: boolean
  readonly hasBatch: boolean
  readonly assigned: 'me' | 'nobody' | 'other'
  /** Operators may take jobs of nobody. */
  readonly freeAllowed: boolean
  /** Another job that needs its operator is running. */
  readonly busy: boolean
  /** The user's own work session is the running one. */
  readonly mine: boolean
  /** Something waits in front of the phase, or it is the first. */
  readonly supply: boolean
  /** How a new batch gets its units: nothing to name, units that wait, or labels (`must`: the product has no counter). */
  readonly units: 'none' | 'waiting' | 'labels' | 'labels-must'
  readonly chosen: number
  /** Something was refused while the line was cut: what builds on it has to wait. */
  readonly held: boolean
  /** The line is up: what begins work goes out apart from what was refused, and may be what mends it. */
  readonly online: boolean
  /** An answer is needed before anything else can be done. */
  readonly waiting: boolean
  /** The step on the screen; null if there is none. */
  readonly step: StepSituation | null
  /** Each step is confirmed by itself. */
  readonly stepCheck: boolean
  /** Components that have to be there before the batch ends. */
  readonly missing: number
  /** Units that need a label before the batch ends. */
  readonly unlabelled: number
  readonly scrap: boolean
  /** Somebody else has marked scrap here: to take over or to drop before the batch ends. */
  readonly undecided: boolean
}

export interface StepSituation {
  readonly done: boolean
  /** The values of a step that is done were changed. */
  readonly changed: boolean
  readonly question: number
  readonly questions: number
  /** Questions that are not answered as they should be. */
  readonly unanswered: number
  /** All others are done. */
  readonly lastOpen: boolean
}

/** What is still to be done before a step that is open, and the batch with it, can end. */
export interface Left {
  readonly answers: number
  readonly parts: number
  readonly labels: number
}

function because(act: Act, why: Why | undefined): Main {
  return why === undefined ? { act } : { act, why }
}

function whyNotBegin(at: Situation): Why | undefined {
  if (at.assigned === 'other' && !at.supervisor) return 'other'
  if (at.assigned === 'nobody' && !at.freeAllowed && !at.supervisor) return 'unassigned'
  if (at.busy) return 'busy'
  if (at.hasBatch) return undefined
  if (!at.supply) return 'supply'
  if (at.units === 'waiting' && at.chosen === 0) return 'pick'
  if (at.units === 'labels-must' && at.chosen === 0) return 'labels'
  return undefined
}

function idle(at: Situation): Main {
  const act = at.hasBatch ? 'resume' : at.stage === 'started' ? 'next' : 'start'
  return because(act, at.canSend ? whyNotBegin(at) : 'noRight')
}

function whyNotEnd(at: Situation): Why | undefined {
  if (at.undecided) return 'marks'
  if (at.unlabelled > 0) return 'label'
  return at.missing > 0 ? 'components' : undefined
}

/** The last step ends the batch with it, unless something is missing or scrapped: then the batch is ended by itself. */
export function endsBatch(at: Situation): boolean {
  return at.step !== null && !at.step.done && at.step.lastOpen && whyNotEnd(at) === undefined && !at.scrap
}

function running(at: Situation): Main {
  const { step } = at
  if (!at.canSend || !(at.mine || at.supervisor)) return { act: 'batch', why: at.canSend ? 'theirs' : 'noRight' }
  if (step === null) {
    const why = whyNotEnd(at)
    if (why === undefined) return { act: 'batch', closes: true }
    if (why === 'marks') return { act: 'batch', why }
    return { act: 'batch', why, count: why === 'label' ? at.unlabelled : at.missing }
  }
  if (step.question < step.questions - 1) return { act: 'answer' }
  // What is not confirmed one by one goes out with the batch, as it is then: nothing is there yet to correct.
  if (step.done) return { act: step.changed && at.stepCheck ? 'edit' : 'onward' }
  if (!endsBatch(at)) return { act: 'step' }
  return { act: at.stepCheck ? 'step' : 'batch', closes: true }
}

/** While something is left at the step on the screen, the main button is quiet and says so; null if nothing is. */
export function leftOf(at: Situation): Left | null {
  const { step } = at
  const { act, why } = mainOf(at)
  if (!at.active || step === null || step.done || why !== undefined || act === 'wait') return null
  const left = { answers: step.unanswered, parts: at.missing, labels: at.unlabelled }
  return Object.values(left).some((count) => count > 0) ? left : null
}

export function mainOf(at: Situation): Main {
  if (at.waiting) return { act: 'wait' }
  if (at.stage === 'closed') return { act: 'leave' }
  if (!at.active && at.online) return idle(at)
  const main = at.active ? running(at) : idle(at)
  return at.held ? { act: main.act, why: 'held' } : main
}
