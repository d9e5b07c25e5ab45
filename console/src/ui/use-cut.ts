import { type RefObject, useEffect, useState } from 'react'

/** Whether an element holds more than it shows; while it is open, whether it did before. */
export function useCut(element: RefObject<HTMLElement | null>, open: boolean): boolean {
  const [cut, setCut] = useState(false)
  useEffect(() => {
    const shown = element.current
    if (shown === null || open) return
    const look = () => setCut(shown.scrollHeight > shown.clientHeight + 1)
    const observer = new ResizeObserver(look)
    observer.observe(shown)
    return () => observer.disconnect()
  }, [element, open])
  return cut
}
