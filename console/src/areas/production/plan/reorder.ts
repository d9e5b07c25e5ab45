/*
 * Moves cards of a list by pointer (mouse, pen, finger) and by keyboard. While a card is held, the others give way on the screen; the list
 * itself changes when it is put down.
 */

import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { placeAt, type Target, targetAt } from './sequence'

export interface Held {
  readonly key: string
  /** The list when it was lifted, which places count in. */
  readonly keys: readonly string[]
  readonly from: number
  readonly to: number
  readonly by: 'pointer' | 'keyboard'
  /** How far a pointer has carried it, in pixels. */
  readonly moved: number
  /** The height that the others give way by. */
  readonly height: number
}

export type Told = 'lifted' | 'moved' | 'dropped' | 'canceled'

interface Options {
  readonly list: RefObject<HTMLElement | null>
  readonly keys: readonly string[]
  readonly onDrop: (key: string, target: Target) => void
  /** Says what happens to a card that is moved by keyboard. */
  readonly tell: (what: Told, key: string, place: number) => void
}

interface Grip {
  readonly startY: number
  readonly middles: readonly number[]
}

const EDGE = 72
const SPEED = 12

function cards(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[data-card]') ?? [])]
}

function middleOf(card: HTMLElement): number {
  const { top, height } = card.getBoundingClientRect()
  return top + window.scrollY + height / 2
}

/** Scrolls the page while a card is held near its edges. */
function scrollAtEdge(y: number): void {
  if (y < EDGE * 2) window.scrollBy(0, -SPEED)
  else if (y > window.innerHeight - EDGE) window.scrollBy(0, SPEED)
}

export function useReorder({ list, keys, onDrop, tell }: Options) {
  const [held, setHeld] = useState<Held | null>(null)
  const grip = useRef<Grip | null>(null)
  const focusLater = useRef<string | null>(null)

  // The list was sorted anew: the handle that was in use stays in use.
  useEffect(() => {
    const key = focusLater.current
    if (key === null || held !== null) return
    focusLater.current = null
    list.current?.querySelector<HTMLElement>(`[data-card="${CSS.escape(key)}"] [data-handle]`)?.focus()
  })

  const drop = (one: Held) => {
    focusLater.current = one.key
    setHeld(null)
    const target = targetAt(one.keys, one.key, one.to)
    if (one.to !== one.from && target !== null) onDrop(one.key, target)
  }

  const lift = (key: string, by: Held['by']): Held | null => {
    const from = keys.indexOf(key)
    const card = cards(list.current)[from]
    if (card === undefined) return null
    const gap = Number.parseFloat(getComputedStyle(card).marginBottom) || 0
    const one: Held = { key, keys, from, to: from, by, moved: 0, height: card.offsetHeight + gap }
    setHeld(one)
    return one
  }

  const pointerDown = (key: string) => (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0 || held !== null) return
    event.currentTarget.setPointerCapture(event.pointerId)
    grip.current = { startY: event.clientY + window.scrollY, middles: cards(list.current).map(middleOf) }
    lift(key, 'pointer')
  }

  const pointerMove = (event: PointerEvent<HTMLElement>) => {
    const start = grip.current
    if (start === null || held?.by !== 'pointer') return
    scrollAtEdge(event.clientY)
    const moved = event.clientY + window.scrollY - start.startY
    const middle = (start.middles[held.from] ?? 0) + moved
    setHeld({ ...held, moved, to: placeAt(start.middles, held.from, middle) })
  }

  const pointerUp = () => {
    grip.current = null
    if (held?.by === 'pointer') drop(held)
  }

  const cancel = () => {
    grip.current = null
    if (held === null) return
    if (held.by === 'keyboard') tell('canceled', held.key, held.from)
    setHeld(null)
  }

  const moveTo = (one: Held, to: number) => {
    const place = Math.min(Math.max(to, 0), one.keys.length - 1)
    setHeld({ ...one, to: place })
    tell('moved', one.key, place)
  }

  const heldKey = (one: Held, key: string): boolean => {
    if (key === 'ArrowUp') moveTo(one, one.to - 1)
    else if (key === 'ArrowDown') moveTo(one, one.to + 1)
    else if (key === 'Home') moveTo(one, 0)
    else if (key === 'End') moveTo(one, one.keys.length - 1)
    else if (key === 'Escape') cancel()
    else if (key === ' ' || key === 'Enter') {
      tell('dropped', one.key, one.to)
      drop(one)
    } else return false
    return true
  }

  const keyDown = (key: string) => (event: KeyboardEvent<HTMLElement>) => {
    if (held !== null) {
      if (heldKey(held, event.key)) event.preventDefault()
      return
    }
    if (event.key !== ' ' && event.key !== 'Enter') return
    event.preventDefault()
    const one = lift(key, 'keyboard')
    if (one !== null) tell('lifted', key, one.from)
  }

  const handle = (key: string) => ({
    onPointerDown: pointerDown(key),
    onPointerMove: pointerMove,
    onPointerUp: pointerUp,
    onPointerCancel: cancel,
    onKeyDown: keyDown(key),
    onBlur: () => held?.by === 'keyboard' && cancel(),
  })

  return { held, handle }
}
