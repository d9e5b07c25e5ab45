/*
 * The jobs of an operator in the bands of the operator panel: running, ready to be taken up, and expected.
 */

import { BANDS, type Band, bandOf, type Queued } from '@/areas/production/panel/logic/bands'
import { jobState } from '@/ui/states'

/** The words for what can be done with a job that is no longer expected: those of the operator panel. */
export function actOf(job: Queued) {
  const state = jobState(job)
  if (state === 'started') return 'ui.open'
  return state === 'paused' ? 'home.queue.resume' : 'home.queue.start'
}

/** What to do next comes first: what runs, then what was paused; otherwise the order of the queue stays. */
export function byBand<Job extends Queued>(jobs: readonly Job[], now: Date): Job[] {
  const first = [...jobs.filter(({ active }) => active), ...jobs.filter(({ active }) => !active)]
  return BANDS.flatMap((band) => first.filter((job) => bandOf(job, now) === band))
}

/** How many jobs there are in each band. */
export function countBands(jobs: readonly Queued[], now: Date): Record<Band, number> {
  const of = (band: Band) => jobs.filter((job) => bandOf(job, now) === band).length
  return { running: of('running'), ready: of('ready'), expected: of('expected') }
}
