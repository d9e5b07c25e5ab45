import type { ComponentType, ReactNode } from 'react'
import type { HitKind } from '@/scan'
import { IssueGlance } from './issue'
import { PositionGlance } from './position'
import { TaskGlance } from './task'

interface HeadProps {
  readonly title: string
  readonly shown?: ReactNode
  readonly trail?: ReactNode
  readonly mark?: ReactNode
  readonly answer?: ReactNode
}

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

/** Looks like the head of a page; the page itself is the search. */
function SmallHead({ title, shown, trail, mark, answer }: HeadProps) {
  return (
    <header className="tw-head">
      <div className="tw-head-main">
        {trail && <div className="tw-head-trail">{trail}</div>}
        <div className="tw-head-line">
          <h2>{shown ?? title}</h2>
          {mark}
        </div>
        {answer && <div className="tw-head-answer">{answer}</div>}
      </div>
    </header>
  )
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
