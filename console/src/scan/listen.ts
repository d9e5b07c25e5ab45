import { type Burst, NOTHING, press } from './burst'

interface Snapshot {
  readonly field: HTMLInputElement | HTMLTextAreaElement
  readonly value: string
}

/** Fields where text can be typed and taken out again. Passwords are left alone. */
function fieldOf(target: EventTarget | null): HTMLInputElement | HTMLTextAreaElement | undefined {
  if (target instanceof HTMLTextAreaElement) return target
  const plain = target instanceof HTMLInputElement && target.type !== 'password'
  return plain ? target : undefined
}

/** Fields that want the scanned characters as they are carry `data-scan="type"`. */
function wantsTyping(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement && target.type === 'password') return true
  return target instanceof Element && target.closest('[data-scan="type"]') !== null
}

/** Puts a field back to what it held before the scan, in a way that React notices. */
function restore({ field, value }: Snapshot): void {
  const prototype = field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, value)
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/**
 * Listens for bursts anywhere on the page. Typing goes where it would go; only when a burst has turned out to be a scan
 * is the field put back, and the closing key swallowed.
 */
export function listenForScans(onScan: (text: string) => void): () => void {
  let burst: Burst = NOTHING
  let before: Snapshot | undefined
  const onKey = (event: KeyboardEvent) => {
    const step = press(burst, {
      key: event.key,
      at: event.timeStamp,
      repeat: event.repeat,
      composing: event.isComposing,
      ctrl: event.ctrlKey,
      alt: event.altKey,
      meta: event.metaKey,
    })
    burst = step.burst
    if (step.begins) {
      const field = fieldOf(event.target)
      before = field && { field, value: field.value }
    }
    if (step.scanned === undefined || wantsTyping(event.target)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (before) restore(before)
    before = undefined
    onScan(step.scanned)
  }
  window.addEventListener('keydown', onKey, { capture: true })
  return () => window.removeEventListener('keydown', onKey, { capture: true })
}
