import { isText, remember } from './before'
import { isScanBox } from './box'
import { type Burst, type Key, NOTHING, PATIENT, press, STRICT, type Step } from './burst'

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
    this.timer = setTimeout(this.release, STRICT.pause)
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

/** Recognises scans at two tempos. The patient one begins anew where another control gets the keys. */
class Bursts {
  private strict: Burst = NOTHING
  private patient: Burst = NOTHING
  private target: EventTarget | null = null
  private restoreStrict: (() => void) | undefined
  private restorePatient: (() => void) | undefined

  press(key: Key, target: EventTarget | null): { step: Step; scanned?: string; restore?: (() => void) | undefined } {
    if (target !== this.target) this.patient = NOTHING
    this.target = target
    const step = press(this.strict, key)
    const late = press(this.patient, key, PATIENT)
    this.strict = step.burst
    this.patient = late.burst
    if (step.begins) this.restoreStrict = remember(target)
    if (late.begins) this.restorePatient = remember(target)
    const { restoreStrict, restorePatient } = this
    if (this.strict === NOTHING) this.restoreStrict = undefined
    if (this.patient === NOTHING) this.restorePatient = undefined
    if (wantsTyping(target)) return { step, restore: restoreStrict }
    const whole = mayBeLate(target, step) ? late.scanned : undefined
    if (whole === undefined || whole.length <= (step.scanned?.length ?? 0)) {
      return { step, restore: restoreStrict, ...(step.scanned !== undefined && { scanned: step.scanned }) }
    }
    return { step, restore: restorePatient, scanned: whole }
  }
}

/**
 * Whether letters that came late belong to a scan all the same: nobody types them where nothing takes them, and nobody types into the scan
 * box within half a second of a scan. In other texts and in lists they are a person's.
 */
function mayBeLate(target: EventTarget | null, { scanned }: Step): boolean {
  if (target instanceof HTMLInputElement && isScanBox(target)) return scanned !== undefined
  return !isText(target) && !(target instanceof HTMLSelectElement)
}

/**
 * Listens for bursts anywhere on the page. What is typed into a text goes there, and only when a burst has turned out to be a scan is it
 * taken out again. Elsewhere keys press and choose, so that those of a scanner are swallowed as soon as their pace gives them away.
 */
export function listenForScans(onScan: (text: string) => void): () => void {
  const bursts = new Bursts()
  const swallowed = new Set<string>()
  const held = new HeldChoice()

  const swallow = (event: KeyboardEvent) => {
    event.preventDefault()
    // Others may see the characters: a shortcut acts only if its key stands alone.
    if (ACTS.has(event.key)) event.stopImmediatePropagation()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target } = event
    const sent = {
      key,
      at: event.timeStamp,
      repeat: event.repeat,
      composing: event.isComposing,
      ctrl: event.ctrlKey,
      alt: event.altKey,
      meta: event.metaKey,
    }
    const { step, scanned, restore } = bursts.press(sent, target)
    const { burst } = step
    if (burst.times.length < 2 && step.machine === 'no') held.release()
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
