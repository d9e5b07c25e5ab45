import { type RefObject, useLayoutEffect, useState } from 'react'

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

/** The height of a row in the present mood. */
export function useRowHeight(): number {
  const [height, setHeight] = useState(34)
  useLayoutEffect(() => {
    const token = getComputedStyle(document.documentElement).getPropertyValue('--tw-row')
    setHeight(Number.parseFloat(token) || 34)
  }, [])
  return height
}
