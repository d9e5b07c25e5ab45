/*
 * What a control held before a scan, so that the scan leaves no trace in it.
 */

/** Buttons of all kinds, and what else a key presses or chooses instead of writing into it. */
const PRESSED: ReadonlySet<string> = new Set([
  'button',
  'checkbox',
  'color',
  'file',
  'image',
  'radio',
  'range',
  'reset',
  'submit',
])

/** Whether keys write into it. There they are let through: what a scan has written is taken out again. */
export function isText(target: EventTarget | null): boolean {
  if (target instanceof HTMLTextAreaElement) return true
  if (target instanceof HTMLInputElement) return !PRESSED.has(target.type)
  return target instanceof HTMLElement && target.isContentEditable
}

/** Sets a property past React, which then notices the change that the event tells of. */
function set(element: HTMLElement, property: 'value' | 'checked' | 'selectedIndex', value: unknown, event: string) {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), property)?.set?.call(element, value)
  element.dispatchEvent(new Event(event, { bubbles: true }))
}

/** The ticked radio button of the group. */
function chosenWith(radio: HTMLInputElement): HTMLInputElement | undefined {
  const all = radio.ownerDocument.querySelectorAll<HTMLInputElement>('input[type="radio"]')
  return [...all].find(({ name, form, checked }) => checked && name === radio.name && form === radio.form)
}

/** Remembers what the control holds; the answer puts it back. Passwords are left alone. */
export function remember(target: EventTarget | null): (() => void) | undefined {
  if (target instanceof HTMLSelectElement) {
    const { selectedIndex } = target
    return () => target.selectedIndex !== selectedIndex && set(target, 'selectedIndex', selectedIndex, 'change')
  }
  if (target instanceof HTMLTextAreaElement) {
    const { value } = target
    return () => set(target, 'value', value, 'input')
  }
  if (!(target instanceof HTMLInputElement) || target.type === 'password') return undefined
  const { value, checked, type } = target
  if (type === 'radio') {
    const chosen = chosenWith(target)
    return () => chosen && !chosen.checked && set(chosen, 'checked', true, 'click')
  }
  if (type === 'checkbox') return () => target.checked !== checked && set(target, 'checked', checked, 'click')
  return PRESSED.has(type) && type !== 'range' && type !== 'color'
    ? undefined
    : () => set(target, 'value', value, 'input')
}
