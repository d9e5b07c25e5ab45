/** A thing to correct: where it is, and what is wrong in the words of the server. */
export interface ShownFault {
  readonly path: string
  readonly message: string
}

/** The fault of one field: its own, or one of a part of it. */
export function faultAt(faults: readonly ShownFault[], path: string): string | undefined {
  return faults.find((fault) => fault.path === path || fault.path.startsWith(`${path}.`))?.message
}

/** The attribute that a field carries so that a fault can lead to it: `<div {...fieldPath('qt_planned')}>`. */
export function fieldPath(path: string): { 'data-path': string } {
  return { 'data-path': path }
}

/** The places of which a path is part, itself first: `bom.2.qt`, `bom.2`, `bom`. */
export function pathsUp(path: string): string[] {
  const steps = path.split('.')
  return steps.map((_, at) => steps.slice(0, steps.length - at).join('.'))
}

const CONTROLS = 'input, select, textarea, button, [tabindex]'

/** Goes to the control with that path, or to the nearest one around it. */
export function focusField(path: string, within: ParentNode = document): boolean {
  for (const place of pathsUp(path)) {
    const found = within.querySelector<HTMLElement>(`[data-path="${CSS.escape(place)}"]`)
    if (found === null) continue
    const control = found.matches(CONTROLS) ? found : found.querySelector<HTMLElement>(CONTROLS)
    found.scrollIntoView({ block: 'center', behavior: 'instant' })
    control?.focus({ preventScroll: true })
    return true
  }
  return false
}
