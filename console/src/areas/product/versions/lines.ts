import { equals } from '@/api/decimal'
import type { BomLine } from '../queries'

export type ChangeKind = 'added' | 'removed' | 'changed' | 'same'
export type LineAspect = 'qt' | 'phase' | 'options'

export interface ComparedLine {
  readonly id: string
  readonly kind: ChangeKind
  readonly before: BomLine | null
  readonly after: BomLine | null
  readonly aspects: readonly LineAspect[]
}

/** Equal options, whatever the order of their members. */
function sameOptions(a: BomLine['consumption_options'], b: BomLine['consumption_options']): boolean {
  const amount = (value: BomLine['consumption_options']) => value.minimum_quantity
  const [one, other] = [amount(a), amount(b)]
  const sameMinimum = one === null || other === null ? one === other : equals(one, other)
  return (
    sameMinimum &&
    a.consumption_position_key === b.consumption_position_key &&
    a.consumption_position_mandatory === b.consumption_position_mandatory &&
    a.minimum_quantity_if_negative === b.minimum_quantity_if_negative
  )
}

function aspectsOf(before: BomLine, after: BomLine): LineAspect[] {
  const aspects: LineAspect[] = []
  if (!equals(before.qt, after.qt)) aspects.push('qt')
  if (before.phase_name !== after.phase_name) aspects.push('phase')
  if (!sameOptions(before.consumption_options, after.consumption_options)) aspects.push('options')
  return aspects
}

function byComponent(lines: readonly BomLine[]): Map<string, BomLine[]> {
  const found = new Map<string, BomLine[]>()
  for (const line of lines) {
    const same = found.get(line.component_key)
    if (same) same.push(line)
    else found.set(line.component_key, [line])
  }
  return found
}

/** Takes the first of the candidates that fits out of the list. */
function take(list: BomLine[], fits: (line: BomLine) => boolean): BomLine | undefined {
  const at = list.findIndex(fits)
  return at < 0 ? undefined : list.splice(at, 1)[0]
}

/** Lines of one component: first those that are quite the same, then those of the same phase, then what is left in order. */
function pairs(before: readonly BomLine[], after: readonly BomLine[]): ComparedLine[] {
  const rest = [...after]
  let open = [...before]
  const found: ComparedLine[] = []
  const rounds: ((one: BomLine, other: BomLine) => boolean)[] = [
    (one, other) => aspectsOf(one, other).length === 0,
    (one, other) => one.phase_name === other.phase_name,
    () => true,
  ]
  for (const fits of rounds) {
    open = open.filter((line) => {
      const partner = take(rest, (other) => fits(line, other))
      if (partner) found.push(compared(line, partner))
      return partner === undefined
    })
  }
  return [...found, ...open.map((line) => compared(line, null)), ...rest.map((line) => compared(null, line))]
}

function compared(before: BomLine | null, after: BomLine | null): ComparedLine {
  const id = `${before?.bom_line_key ?? ''}>${after?.bom_line_key ?? ''}`
  if (before === null || after === null) {
    return { id, kind: before === null ? 'added' : 'removed', before, after, aspects: [] }
  }
  const aspects = aspectsOf(before, after)
  return { id, kind: aspects.length === 0 ? 'same' : 'changed', before, after, aspects }
}

export function codeOf({ before, after }: ComparedLine): string {
  return (after ?? before)?.component_code ?? ''
}

/** Two bills of materials side by side, by component code. */
export function compareLines(before: readonly BomLine[], after: readonly BomLine[]): ComparedLine[] {
  const [old, young] = [byComponent(before), byComponent(after)]
  const keys = [...new Set([...old.keys(), ...young.keys()])]
  return keys
    .flatMap((key) => pairs(old.get(key) ?? [], young.get(key) ?? []))
    .sort((a, b) => codeOf(a).localeCompare(codeOf(b)))
}

export function countKinds(rows: readonly { kind: ChangeKind }[]): Record<ChangeKind, number> {
  const counts = { added: 0, removed: 0, changed: 0, same: 0 }
  for (const { kind } of rows) counts[kind] += 1
  return counts
}
