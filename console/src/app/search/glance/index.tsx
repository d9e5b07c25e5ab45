import type { ComponentType } from 'react'
import type { HitKind } from '@/scan'
import { type HeadProps, SmallHead } from './head'
import { IssueGlance } from './issue'
import { PositionGlance } from './position'
import { TaskGlance } from './task'

export interface GlanceProps {
  /** The key of the thing. */
  readonly of: string
  /** The head: that of a page, unless it stands beside hits. */
  readonly head?: ComponentType<HeadProps>
}

const GLANCES: Partial<Record<HitKind, ComponentType<GlanceProps>>> = {
  issue: IssueGlance,
  task: TaskGlance,
  position: PositionGlance,
}

/** Whether a thing can be shown beside the hits. */
export function hasGlance(kind: HitKind): boolean {
  return GLANCES[kind] !== undefined
}

/** The thing that was found, beside the hits. */
export function Glance({ kind, of }: { kind: HitKind; of: string }) {
  const One = GLANCES[kind]
  return (
    <aside className="tw-glance" aria-live="polite">
      {One && <One of={of} head={SmallHead} />}
    </aside>
  )
}
