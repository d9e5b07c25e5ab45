/*
 * Walking through hits with the keyboard while the cursor stays in the box. The place is kept by what it is, not by its number:
 * groups arrive one after the other, and nobody's choice may jump.
 */

import { type KeyboardEvent, useState } from 'react'
import { useGo, wantsTab } from '@/ui/Go'

export interface Stop {
  readonly id: string
  readonly to: string
}

/** The stop that a key leads to; undefined if the key does not walk. */
export function step(stops: readonly Stop[], current: string | undefined, key: string): Stop | undefined {
  if (stops.length === 0) return undefined
  const at = stops.findIndex(({ id }) => id === current)
  if (key === 'ArrowDown') return stops[(at + 1) % stops.length]
  if (key === 'ArrowUp') return stops[at <= 0 ? stops.length - 1 : at - 1]
  if (key === 'PageDown') return stops[Math.min(at + 8, stops.length - 1)]
  return key === 'PageUp' ? stops[Math.max(at - 8, 0)] : undefined
}

/** The current stop: the one that was walked to, else the first. */
export function currentOf(stops: readonly Stop[], chosen: string | undefined): Stop | undefined {
  return stops.find(({ id }) => id === chosen) ?? stops[0]
}

interface Walk {
  readonly stops: readonly Stop[]
  /** Enter where there is no stop. */
  readonly onNone?: (() => void) | undefined
  readonly onOpen?: (() => void) | undefined
}

export function useWalk({ stops, onNone, onOpen }: Walk) {
  const go = useGo()
  const [chosen, setChosen] = useState<string>()
  const current = currentOf(stops, chosen)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') {
      event.preventDefault()
      if (current === undefined) return onNone?.()
      if (wantsTab(event)) return void window.open(current.to, '_blank', 'noopener')
      onOpen?.()
      return go(current.to)
    }
    const next = step(stops, current?.id, event.key)
    if (next === undefined) return
    event.preventDefault()
    setChosen(next.id)
    document.getElementById(next.id)?.scrollIntoView({ block: 'nearest' })
  }
  return { current: current?.id, onKeyDown, point: setChosen, forget: () => setChosen(undefined) }
}
