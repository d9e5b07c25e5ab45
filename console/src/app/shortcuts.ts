/*
 * Keyboard shortcuts: the list that `?` shows, and the keys that open something. A scanner types `/` and `?` too, but never alone: a
 * single-key shortcut acts only if no other key comes right before or after it.
 */

import { useEffect, useRef } from 'react'
import { isScanBox } from '@/scan/box'
import { STRICT } from '@/scan/burst'
import type { PlainKey } from './texts'

export interface Shortcut {
  /** As shown: `?`, `/`, `Ctrl K`. */
  keys: string
  label: PlainKey
}

const listed = new Set<Shortcut>()

/** The shortcuts of the page that is shown. */
export function pageShortcuts(): Shortcut[] {
  return [...listed]
}

interface Pressed {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
}

/** Whether a key press is the shortcut: one character, or `Ctrl X`, which is the command key on a Mac. */
export function isPressed(keys: string, pressed: Pressed): boolean {
  const parts = keys.split(' ')
  const withCtrl = parts.length === 2 && parts[0] === 'Ctrl'
  const key = withCtrl ? parts[1] : keys
  if (pressed.altKey || (pressed.ctrlKey || pressed.metaKey) !== withCtrl) return false
  return withCtrl ? pressed.key.toLowerCase() === key?.toLowerCase() : pressed.key === key
}

/** Longer than the pauses of a scanner, in milliseconds. */
const alone = STRICT.pause + 5

/** Notices keys that stand alone. `press` answers true if nothing came just before; the call comes unless something follows. */
export class LoneKeys {
  private last = Number.NEGATIVE_INFINITY
  private timer: ReturnType<typeof setTimeout> | undefined

  press(now: number, act: (() => void) | null): void {
    const before = now - this.last
    this.last = now
    clearTimeout(this.timer)
    if (act && before > alone) this.timer = setTimeout(act, alone)
  }
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.closest('input, textarea, select') !== null
}

/** The scan box has the focus on every page that has just opened, so that keys which begin no code act from there too. */
function isIdleScanBox(target: EventTarget | null): target is HTMLInputElement {
  return target instanceof HTMLInputElement && isScanBox(target) && target.value === ''
}

/** A dialog lies over the page, or the page is locked. */
function isCovered(): boolean {
  return document.querySelector('[role="dialog"], .tw-shell[inert]') !== null
}

const loneKeys = new LoneKeys()
const handlers = new Map<Shortcut, () => void>()

function pressedKey(event: KeyboardEvent): void {
  if (event.key.length > 1 || event.isComposing) return
  const found = [...handlers].find(([shortcut]) => isPressed(shortcut.keys, event))
  if (found && (event.ctrlKey || event.metaKey)) {
    event.preventDefault()
    found[1]()
    return
  }
  const box = isIdleScanBox(event.target) && /[/?]/.test(event.key) ? event.target : null
  const act = found && !isCovered() && (box || !isTyping(event.target)) ? acting(found[1], box) : null
  // Firefox would open its own search.
  if (act && !box && event.key === '/') event.preventDefault()
  loneKeys.press(event.timeStamp, act)
}

/** A key that was typed into the scan box is taken out again. */
function acting(act: () => void, box: HTMLInputElement | null): () => void {
  return () => {
    if (box) box.value = ''
    act()
  }
}

/** Listens for as long as the shell is shown. */
export function listenForShortcuts(): () => void {
  document.addEventListener('keydown', pressedKey)
  return () => document.removeEventListener('keydown', pressedKey)
}

export function addShortcut(shortcut: Shortcut, act: () => void, onPage: boolean): () => void {
  handlers.set(shortcut, act)
  if (onPage) listed.add(shortcut)
  return () => {
    handlers.delete(shortcut)
    listed.delete(shortcut)
  }
}

/** A shortcut while the caller is shown; it appears in the list of `?`. */
export function useShortcut(keys: string, label: PlainKey, act: () => void, onPage = true): void {
  const latest = useRef(act)
  useEffect(() => {
    latest.current = act
  })
  useEffect(() => addShortcut({ keys, label }, () => latest.current(), onPage), [keys, label, onPage])
}
