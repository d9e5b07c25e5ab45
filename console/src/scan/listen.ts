import { isText, remember } from './before'
import { type Burst, NOTHING, PAUSE, press, type Step } from './burst'

/** Fields that want the scanned characters as they are carry `data-scan="type"`. */
function wantsTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement && target.type === 'password') return true
  return target instanceof Element && target.closest('[data-scan="type"]') !== null
}

/** Keys that press what has the focus, or leave it. */
const ACTS: ReadonlySet<string> = new Set([' ', 'Enter', 'Tab'])

/** In a list people type letters to choose, and Enter does no harm there. A space would open it. */
function isMachine({ machine }: Step, { key, target }: KeyboardEvent): boolean {
  if (isText(target)) return false
  return target instanceof HTMLSelectElement && key !== ' ' ? machine === 'surely' : machine !== 'no'
}

/**
 * Keeps what typed letters choose in a list from the page, until it is clear that no scanner has typed them: the page may act on a choice
 * at once, and could not take that back.
 */
class HeldChoice {
  private list: HTMLSelectElement | undefined
  private before = -1
  private chosen: number | undefined
  private timer: ReturnType<typeof setTimeout> | undefined

  /** A character goes to the list, and may choose something else. */
  begin(list: HTMLSelectElement): void {
    if (list !== this.list) {
      this.release()
      this.list = list
      this.before = list.selectedIndex
    }
    clearTimeout(this.timer)
    this.timer = setTimeout(this.release, PAUSE)
  }

  readonly onChange = (event: Event): void => {
    if (this.list === undefined || event.target !== this.list) return
    event.stopImmediatePropagation()
    this.chosen = this.list.selectedIndex
  }

  /** A hand has chosen: the page hears of it. */
  readonly release = (): void => {
    this.end((list, chosen) => {
      list.selectedIndex = chosen
      for (const type of ['input', 'change']) list.dispatchEvent(new Event(type, { bubbles: true }))
    })
  }

  /** A scanner has: the list is as before. */
  undo(): void {
    const { before } = this
    this.end((list) => {
      list.selectedIndex = before
    })
  }

  private end(settle: (list: HTMLSelectElement, chosen: number) => void): void {
    const { list, chosen } = this
    clearTimeout(this.timer)
    this.list = undefined
    this.chosen = undefined
    if (list !== undefined && chosen !== undefined) settle(list, chosen)
  }
}

/**
 * Listens for bursts anywhere on the page. What is typed into a text goes there, and only when a burst has turned out to be a scan is it
 * taken out again. Elsewhere keys press and choose, so that those of a scanner are swallowed as soon as their pace gives them away.
 */
export function listenForScans(onScan: (text: string) => void): () => void {
  let burst: Burst = NOTHING
  let restore: (() => void) | undefined
  const swallowed = new Set<string>()
  const held = new HeldChoice()

  const swallow = (event: KeyboardEvent) => {
    event.preventDefault()
    // Others may see the characters: a shortcut acts only if its key stands alone.
    if (ACTS.has(event.key)) event.stopImmediatePropagation()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target } = event
    const step = press(burst, {
      key,
      at: event.timeStamp,
      repeat: event.repeat,
      composing: event.isComposing,
      ctrl: event.ctrlKey,
      alt: event.altKey,
      meta: event.metaKey,
    })
    burst = step.burst
    if (burst.times.length < 2 && step.machine === 'no') held.release()
    if (step.begins) restore = remember(target)
    const scanned = wantsTyping(target) ? undefined : step.scanned
    if (scanned !== undefined || isMachine(step, event)) {
      swallowed.add(key.toLowerCase())
      swallow(event)
      held.undo()
    } else {
      swallowed.delete(key.toLowerCase())
      if (burst.times.length > 0 && target instanceof HTMLSelectElement) held.begin(target)
    }
    // A code too short for a scan leaves no trace either.
    const ended = burst === NOTHING && isMachine(step, event)
    if (scanned !== undefined || ended) restore?.()
    if (burst === NOTHING) restore = undefined
    if (scanned !== undefined) onScan(scanned)
  }
  const onKeyUp = (event: KeyboardEvent) => {
    if (swallowed.delete(event.key.toLowerCase())) swallow(event)
  }
  const over = new AbortController()
  const options = { capture: true, signal: over.signal }
  window.addEventListener('keydown', onKeyDown, options)
  window.addEventListener('keyup', onKeyUp, options)
  window.addEventListener('input', held.onChange, options)
  window.addEventListener('change', held.onChange, options)
  return () => {
    held.release()
    over.abort()
  }
}
