import { useReactFlow } from '@xyflow/react'
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { type Box, boxOf, firstView, GAP, NODE, panInto, type Spot, type View } from './layout'
import type { Side } from './web'

/** Nothing moves for those who asked for rest. */
function pace(milliseconds: number): number {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : milliseconds
}

/** The view to begin with, once it is known how large the graph may be. */
export function useFirstView(box: RefObject<HTMLElement | null>, spots: readonly Spot[]): View | undefined {
  const [view, setView] = useState<View>()
  const atFirst = useRef(spots)
  useLayoutEffect(() => {
    const size = box.current?.getBoundingClientRect()
    if (size) setView(firstView(boxOf(atFirst.current), size, atFirst.current[0]?.width))
  }, [box])
  return view
}

export interface Show {
  readonly node: (id: string) => void
  /** The column that an entry opens on a side. */
  readonly column: (id: string, side: Side) => void
  readonly all: () => void
  readonly zoom: (larger: boolean) => void
}

/** Moves the view, and no further than it has to. */
export function useShow(box: RefObject<HTMLElement | null>, spots: readonly Spot[]): Show {
  const { getViewport, setViewport } = useReactFlow()
  const latest = useRef(spots)
  useLayoutEffect(() => {
    latest.current = spots
  }, [spots])
  return useMemo(() => {
    const spotOf = (id: string) => latest.current.find(({ entry }) => entry.id === id)
    const into = (target: Box) => {
      const size = box.current?.getBoundingClientRect()
      if (size) void setViewport(panInto(getViewport(), target, size), { duration: pace(200) })
    }
    return {
      node: (id) => {
        const spot = spotOf(id)
        if (spot) into({ x: spot.x, y: spot.y, width: spot.width, height: NODE.height })
      },
      column: (id, side) => {
        const spot = spotOf(id)
        if (!spot) return
        const step = spot.width + GAP.x
        const x = spot.x + (side === 'from' ? -step : 0)
        into({ x, y: spot.y, width: step + spot.width, height: NODE.height })
      },
      all: () => {
        const size = box.current?.getBoundingClientRect()
        if (size)
          void setViewport(firstView(boxOf(latest.current), size, latest.current[0]?.width, 0.3), {
            duration: pace(250),
          })
      },
      zoom: (larger) => {
        const size = box.current?.getBoundingClientRect()
        if (!size) return
        const { x, y, zoom } = getViewport()
        const next = Math.min(1.4, Math.max(0.3, larger ? zoom * 1.2 : zoom / 1.2))
        const [middleX, middleY] = [size.width / 2, size.height / 2]
        const at = (middle: number, offset: number) => middle - ((middle - offset) / zoom) * next
        void setViewport({ x: at(middleX, x), y: at(middleY, y), zoom: next }, { duration: pace(150) })
      },
    }
  }, [box, getViewport, setViewport])
}
