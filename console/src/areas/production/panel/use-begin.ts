/*
 * Which units the next batch works on, chosen before it begins.
 */

import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { isZero } from '@/api/decimal'
import { wholeUnits } from './logic/components'
import type { UnitName } from './logic/events'
import { smallest, toCome, unmade } from './logic/to-come'
import type { Unit } from './model'
import { productQuery, waitingQuery, wipQuery } from './queries'
import type { Work } from './use-work'

export interface Begin {
  readonly kind: 'none' | 'waiting' | 'labels' | 'labels-must'
  /** What is left of the plan. */
  readonly remaining: string
  /** What of it can still be made. */
  readonly toCome: string
  /** Units that wait in front of the phase, by code. */
  readonly waiting: readonly Unit[]
  readonly chosen: readonly string[]
  readonly labels: readonly string[]
  readonly supply: boolean
  /** How much the next batch will be, if nothing is chosen. */
  readonly size: string
  readonly loading: boolean
  readonly choose: (keys: readonly string[]) => void
  readonly label: (codes: readonly string[]) => void
  /** What is chosen, or the labels, at this moment: the page may not show it yet. */
  readonly taken: () => readonly string[]
  readonly names: () => UnitName[]
  readonly clear: () => void
}

/** A list that can be read as soon as it is changed. */
function useList(first: readonly string[]) {
  const [shown, show] = useState(first)
  const now = useRef(first)
  const set = (list: readonly string[]) => {
    now.current = list
    show(list)
  }
  return { shown, now, set }
}

export function useBegin({ job, order }: Work, scanned: string | undefined): Begin {
  const traced = job.traceability_level !== null
  const idle = job.active_batch_key === null && job.stage !== 'closed'
  const waiting = useQuery(waitingQuery(job._key, idle && traced && !job.first_phase))
  const wip = useQuery(wipQuery(job._key, idle && !traced && !job.first_phase))
  const product = useQuery(productQuery(idle && traced && job.first_phase ? job.product_key : ''))
  const picked = useList(scanned === undefined ? [] : [scanned])
  const labels = useList([])
  const units = waiting.data ?? []
  const there = (keys: readonly string[]) => keys.filter((key) => units.some((unit) => unit.serial_key === key))
  const remaining = unmade(job)
  const batch = isZero(job.parameters.production_batch_qt) ? remaining : job.parameters.production_batch_qt
  const inFront = traced ? String(units.length) : String(wip.data?.free_wip_qt_upstream ?? '0')
  const kind = !traced
    ? 'none'
    : !job.first_phase
      ? 'waiting'
      : product.data && product.data.counter_key === null
        ? 'labels-must'
        : 'labels'
  const taken = () => (kind === 'waiting' ? there(picked.now.current) : labels.now.current)
  return {
    kind,
    remaining,
    toCome: toCome(job, order),
    waiting: units,
    chosen: there(picked.shown),
    labels: labels.shown,
    supply: job.first_phase ? !isZero(remaining) : !isZero(inFront),
    size: job.first_phase ? smallest(batch, remaining) : smallest(batch, remaining, inFront),
    loading: waiting.isLoading || wip.isLoading || product.isLoading,
    choose: (keys) => picked.set(keys.slice(0, wholeUnits(remaining))),
    label: labels.set,
    taken,
    names: () =>
      kind === 'waiting' ? taken().map((key) => ({ serial_key: key })) : taken().map((code) => ({ serial_code: code })),
    clear: () => {
      picked.set([])
      labels.set([])
    },
  }
}
