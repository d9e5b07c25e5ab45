import { type Decimal, equals } from '@/api/decimal'
import type { FormField, Order, Phase, Step } from '../queries'
import type { ChangeKind } from './lines'

type Parameters = Phase['params']
export type ParameterName = keyof Parameters
export type AspectName = 'name' | 'operation' | 'notes' | 'place' | 'text' | 'fields' | 'media' | ParameterName

export interface Aspect {
  readonly name: AspectName
  readonly before: unknown
  readonly after: unknown
}

/** A phase or a step on both sides. */
export interface ComparedPart {
  readonly id: string
  readonly of: 'phase' | 'step'
  /** The phase that a step belongs to. */
  readonly phase: string
  readonly title: string
  readonly kind: ChangeKind
  readonly aspects: readonly Aspect[]
}

/** A phase, of a product or as a work order copied it. */
export interface PhaseView {
  readonly key: string
  readonly alias: string
  readonly operation: string
  readonly params: Parameters
  /** Left out where nothing kept them: the notes of a job are those of its order. */
  readonly notes?: string | null
  readonly steps: readonly Step[]
}

export function phasesOfProduct(process: readonly Phase[]): PhaseView[] {
  return process.map((phase) => ({
    key: phase._key,
    alias: phase.alias,
    operation: phase.operation_key,
    params: phase.params,
    notes: phase.production_notes,
    steps: phase.steps,
  }))
}

export function phasesOfOrder(order: Pick<Order, 'jobs' | 'phase_sequence'>): PhaseView[] {
  const place = (key: string) => order.phase_sequence.indexOf(key)
  return [...order.jobs]
    .sort((a, b) => place(a.phase_key) - place(b.phase_key))
    .map((job) => ({
      key: job.phase_key,
      alias: job.phase_alias,
      operation: job.operation_key,
      params: job.parameters,
      steps: job.step_sequence,
    }))
}

/** The newest order that copied a version of the bill of materials, and the process of its day with it. */
export function orderOfVersion(orders: readonly Order[], version: number): Order | undefined {
  return orders
    .filter((order) => order.bom_version === version)
    .sort((a, b) => b.created.localeCompare(a.created))
    .at(0)
}

interface Named {
  readonly key: string
  readonly name: string
}

/** Pairs by key first, since a key means the same thing; then by name, for copies. */
function paired<T>(before: readonly T[], after: readonly T[], named: (one: T) => Named): [T | null, T | null][] {
  const rest = [...after]
  const partners = new Map<T, T>()
  for (const same of [
    (a: Named, b: Named) => a.key === b.key,
    (a: Named, b: Named) => a.name.toLocaleLowerCase() === b.name.toLocaleLowerCase(),
  ]) {
    for (const one of before) {
      if (partners.has(one)) continue
      const at = rest.findIndex((other) => same(named(one), named(other)))
      const [found] = at < 0 ? [] : rest.splice(at, 1)
      if (found !== undefined) partners.set(one, found)
    }
  }
  const back = new Map([...partners].map(([one, other]) => [other, one]))
  const gone = before.filter((one) => !partners.has(one)).map((one): [T | null, T | null] => [one, null])
  return [...after.map((other): [T | null, T | null] => [back.get(other) ?? null, other]), ...gone]
}

function differ(a: unknown, b: unknown): boolean {
  const numeric = (value: unknown): value is Decimal => typeof value === 'number'
  if (numeric(a) && numeric(b)) return !equals(a, b)
  return JSON.stringify(a) !== JSON.stringify(b)
}

function aspect(name: AspectName, before: unknown, after: unknown): Aspect[] {
  return differ(before ?? null, after ?? null) ? [{ name, before: before ?? null, after: after ?? null }] : []
}

/** What of a form field counts: not its key, which every copy makes anew. */
function fieldsOf(fields: readonly FormField[]) {
  return fields.map(({ _key, ...rest }) => rest)
}

function stepAspects(before: Step, after: Step): Aspect[] {
  return [
    ...aspect('name', before.title, after.title),
    ...aspect('text', before.description || null, after.description || null),
    ...aspect('fields', fieldsOf(before.form_fields), fieldsOf(after.form_fields)),
    ...aspect('media', names(before), names(after)),
  ]
}

function names(step: Step): string[] {
  return step.media.map(({ name }) => name).sort()
}

function noteAspects(before: PhaseView, after: PhaseView): Aspect[] {
  if (before.notes === undefined || after.notes === undefined) return []
  return aspect('notes', before.notes || null, after.notes || null)
}

function phaseAspects(before: PhaseView, after: PhaseView): Aspect[] {
  const parameters = Object.keys(after.params) as ParameterName[]
  return [
    ...aspect('name', before.alias, after.alias),
    ...aspect('operation', before.operation, after.operation),
    ...noteAspects(before, after),
    ...parameters.flatMap((name) => aspect(name, before.params[name], after.params[name])),
  ]
}

interface Pair<T> {
  readonly before: T | null
  readonly after: T | null
}

function part<T>(
  head: Pick<ComparedPart, 'id' | 'of' | 'phase' | 'title'>,
  { before, after }: Pair<T>,
  place: Aspect[],
  compare: (before: T, after: T) => Aspect[],
): ComparedPart {
  if (before === null || after === null) return { ...head, kind: before === null ? 'added' : 'removed', aspects: [] }
  const aspects = [...place, ...compare(before, after)]
  return { ...head, kind: aspects.length === 0 ? 'same' : 'changed', aspects }
}

/** A place in an order counts among those that are on both sides, so that one insertion does not move all that follow. */
function placeAspect<T>(
  pairs: readonly [T | null, T | null][],
  before: readonly T[],
  [old, young]: readonly [T | null, T | null],
): Aspect[] {
  if (old === null || young === null) return []
  const both = pairs.filter(([one, other]) => one !== null && other !== null)
  const now = both.findIndex(([, other]) => other === young)
  const then = before.filter((one) => both.some(([first]) => first === one)).indexOf(old)
  return now === then ? [] : aspect('place', then + 1, now + 1)
}

/** Two processes side by side: every phase, followed by its steps. */
export function compareProcesses(before: readonly PhaseView[], after: readonly PhaseView[]): ComparedPart[] {
  const phases = paired(before, after, ({ key, alias }) => ({ key, name: alias }))
  return phases.flatMap(([old, young]) => {
    const alias = (young ?? old)?.alias ?? ''
    const head = { id: `${old?.key ?? ''}>${young?.key ?? ''}`, of: 'phase' as const, phase: alias, title: alias }
    const place = placeAspect(phases, before, [old, young])
    return [part(head, { before: old, after: young }, place, phaseAspects), ...compareSteps(alias, old, young)]
  })
}

function compareSteps(phase: string, before: PhaseView | null, after: PhaseView | null): ComparedPart[] {
  const [old, young] = [before?.steps ?? [], after?.steps ?? []]
  const steps = paired(old, young, ({ _key, title }) => ({ key: _key, name: title }))
  return steps.map(([one, other]) => {
    const title = (other ?? one)?.title ?? ''
    const id = `${before?.key ?? after?.key}/${one?._key ?? ''}>${other?._key ?? ''}`
    const place = placeAspect(steps, old, [one, other])
    return part({ id, of: 'step', phase, title }, { before: one, after: other }, place, stepAspects)
  })
}
