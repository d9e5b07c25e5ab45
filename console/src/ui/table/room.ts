import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'

const LEAST = 240
const BELOW = 20

/** How high a scroller may be so that it ends with the window. */
export function useRoom(scroller: RefObject<HTMLElement | null>, height: 'window' | number): number {
  const [room, setRoom] = useState(height === 'window' ? 600 : height)
  useLayoutEffect(() => {
    if (height !== 'window') return setRoom(height)
    const measure = () => {
      const top = scroller.current?.getBoundingClientRect().top ?? 0
      setRoom(Math.max(LEAST, window.innerHeight - Math.max(top, 0) - BELOW))
    }
    measure()
    window.addEventListener('resize', measure)
    return () => window.removeEventListener('resize', measure)
  }, [scroller, height])
  return room
}

/** Where a table goes on sideways, out of view: on its `left`, its `right`, or both. */
export function edgesOf(box: Pick<HTMLElement, 'scrollLeft' | 'scrollWidth' | 'clientWidth'>): string {
  const left = box.scrollLeft > 1 ? ['left'] : []
  const right = box.scrollLeft + box.clientWidth < box.scrollWidth - 1 ? ['right'] : []
  return [...left, ...right].join(' ')
}

/** Marks the sides on which a table goes on, so that it does not seem to end there. */
export function useEdges(scroller: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const box = scroller.current
    if (!box) return
    const mark = () => {
      box.dataset.more = edgesOf(box)
    }
    const watching = new ResizeObserver(mark)
    for (const one of [box, ...box.querySelectorAll('table')]) watching.observe(one)
    box.addEventListener('scroll', mark, { passive: true })
    return () => {
      watching.disconnect()
      box.removeEventListener('scroll', mark)
    }
  }, [scroller])
}

/** The height of a row in the present mood. */
export function useRowHeight(): number {
  const [height, setHeight] = useState(34)
  useLayoutEffect(() => {
    const token = getComputedStyle(document.documentElement).getPropertyValue('--tw-row')
    setHeight(Number.parseFloat(token) || 34)
  }, [])
  return height
}
