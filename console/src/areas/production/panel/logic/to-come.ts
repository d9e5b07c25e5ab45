/*
 * How much a job can still make. What is scrapped in a phase never comes to the later ones.
 */

import { add, compare, type Decimal, subtract } from '@/api/decimal'
import { type PhaseSum, phasesOf } from '../../orders'
import type { Job, Order } from '../model'

type Amounts = Pick<Job, 'stage' | 'qt_planned' | 'qt_completed' | 'qt_scrap'>

export function smallest(...values: Decimal[]): string {
  return String([...values].sort(compare)[0] ?? '0')
}

/** What was planned and is neither made nor scrapped. */
export function unmade({ stage, qt_planned, qt_completed, qt_scrap }: Amounts): string {
  const rest = subtract(subtract(qt_planned, qt_completed), qt_scrap)
  return stage === 'closed' || compare(rest, 0) < 0 ? '0' : rest
}

/** What a phase can still have at most: what waits in front of it, or is in work there, and what is still to come from those before. */
function supplyOf(phases: readonly PhaseSum[], at: number): string | null {
  const [before, phase] = [phases[at - 1], phases[at]]
  if (!before || !phase) return null
  const arrived = subtract(subtract(before.completed, phase.completed), phase.scrap)
  const planned = add(...before.jobs.map(unmade))
  return add(arrived, smallest(planned, supplyOf(phases, at - 1) ?? planned))
}

export function toCome(job: Job, order: Pick<Order, 'phase_sequence' | 'jobs'>): string {
  const phases = phasesOf(order)
  const at = phases.findIndex(({ key }) => key === job.phase_key)
  const own = unmade(job)
  const supply = supplyOf(phases, at)
  if (supply === null) return own
  const free = subtract(supply, phases[at]?.inWork ?? '0')
  return compare(free, 0) < 0 ? '0' : smallest(own, free)
}
