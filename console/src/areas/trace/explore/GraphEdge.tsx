import { BaseEdge, type EdgeProps } from '@xyflow/react'
import { elbow, type Line } from './layout'

export interface LineData extends Record<string, unknown> {
  readonly look: Line['look']
  readonly beside: boolean
  readonly onPath: boolean
}

/** A link: from what goes in, at the left, to what it goes into. */
export function GraphEdge({ id, data, sourceX, sourceY, targetX, targetY }: EdgeProps & { data?: LineData }) {
  const path = elbow({ x: sourceX, y: sourceY }, { x: targetX, y: targetY })
  return (
    <g
      className="tw-link"
      data-look={data?.look}
      data-beside={data?.beside || undefined}
      data-path={data?.onPath || undefined}
    >
      <BaseEdge id={id} path={path} interactionWidth={0} />
    </g>
  )
}
