/*
 * The form of a new order: what is wrong with it, what is sent, and where the service's refusals belong.
 */

import type { ApiFailure, Schemas } from '@/api'
import { compare, parse, type Separators } from '@/api/decimal'
import type { PlainKey } from '@/app/texts'
import type { ShownFault } from '@/ui/fault-paths'

export type NewOrder = Omit<Schemas['NewWorkOrder'], 'qt_planned'> & { qt_planned: string }

export interface Entered {
  readonly product: string | null
  readonly quantity: string
  readonly due: string
  readonly from: string
  readonly project: string
  readonly code: string
  readonly notes: string
  readonly position: string | null
  readonly priority: boolean
  readonly first: boolean
}

export const NOTHING: Entered = {
  product: null,
  quantity: '',
  due: '',
  from: '',
  project: '',
  code: '',
  notes: '',
  position: null,
  priority: false,
  first: false,
}

/** The fields by the names that the service uses for them. */
export const FIELDS = [
  'product_key',
  'qt_planned',
  'due_by',
  'start_from',
  'project_code',
  'wo_code',
  'output_position_key',
  'notes',
] as const
export type Field = (typeof FIELDS)[number]

const PATHS: Readonly<Partial<Record<keyof Entered, Field>>> = {
  product: 'product_key',
  quantity: 'qt_planned',
  due: 'due_by',
  from: 'start_from',
  project: 'project_code',
  code: 'wo_code',
  position: 'output_position_key',
  notes: 'notes',
}

/** The faults that are left when these fields are changed: whoever corrects one is not told of it any more. */
export function withoutChanged(faults: readonly ShownFault[], changes: Partial<Entered>): readonly ShownFault[] {
  const changed = Object.keys(changes).map((name) => PATHS[name as keyof Entered] as string | undefined)
  return faults.filter(({ path }) => !changed.includes(path))
}

export interface ChosenProduct {
  readonly traced: boolean
  readonly phases: number
}

interface Wrong {
  readonly path: Field
  readonly text: PlainKey
}

function wrongProduct(entered: Entered, product: ChosenProduct | undefined): Wrong[] {
  if (entered.product === null) return [{ path: 'product_key', text: 'production.new.wrong.product' }]
  if (product?.phases === 0) return [{ path: 'product_key', text: 'production.new.wrong.process' }]
  return []
}

function faultOfQuantity(typed: string, traced: boolean, separators: Separators): PlainKey | undefined {
  if (typed.trim() === '') return 'production.new.wrong.quantity'
  const quantity = parse(typed, separators)
  if (quantity === null) return traced ? 'production.new.wrong.whole' : 'ui.form.number'
  if (compare(quantity, 0) <= 0) return 'production.new.wrong.quantity'
  const fraction = quantity.split('.')[1] ?? ''
  if (traced && fraction !== '') return 'production.new.wrong.whole'
  return fraction.length > 6 ? 'production.new.wrong.digits' : undefined
}

export function wrongQuantity(typed: string, traced: boolean, separators: Separators): Wrong[] {
  const text = faultOfQuantity(typed, traced, separators)
  return text === undefined ? [] : [{ path: 'qt_planned', text }]
}

function wrongDates({ due, from }: Entered): Wrong[] {
  return due !== '' && from !== '' && due < from ? [{ path: 'due_by', text: 'production.new.wrong.due' }] : []
}

/** A code or a project that is longer than the service takes. */
export function wrongLength<Path extends string>(path: Path, typed: string): { path: Path; text: PlainKey }[] {
  return [...typed.trim()].length > 128 ? [{ path, text: 'production.new.wrong.long' }] : []
}

/** Whether it is due before it is made: allowed, for what is written down later, but rarely meant. */
export function isOverdue(due: string, today: string): boolean {
  return due !== '' && due < today
}

/** Everything that can be told before the service is asked, all at once. */
export function wrongIn(entered: Entered, product: ChosenProduct | undefined, separators: Separators): Wrong[] {
  return [
    ...wrongProduct(entered, product),
    ...wrongQuantity(entered.quantity, product?.traced ?? false, separators),
    ...wrongDates(entered),
    ...wrongLength('project_code', entered.project),
    ...wrongLength('wo_code', entered.code),
  ]
}

function filled(text: string): string | undefined {
  return text.trim() === '' ? undefined : text.trim()
}

/** What is sent. Call it only if nothing is wrong. */
export function bodyOf(entered: Entered, separators: Separators): NewOrder {
  return {
    product_key: entered.product,
    qt_planned: parse(entered.quantity, separators) ?? entered.quantity,
    priority: entered.priority,
    due_by: filled(entered.due),
    start_from: filled(entered.from),
    project_code: filled(entered.project),
    wo_code: filled(entered.code),
    notes: filled(entered.notes),
    output_position_key: entered.position ?? undefined,
  }
}

/** The field that a refusal without a place is about. */
function placeOf({ status, errorType, data }: ApiFailure): Field | '' {
  if (status === 409) return 'wo_code'
  if (errorType === 'CounterNotDefinedError' || errorType === 'CounterCodeTaken') return 'wo_code'
  if (errorType === 'NoProcessError') return 'product_key'
  const field = FIELDS.find((one) => one === data.field)
  if (field !== undefined) return field
  return status === 404 ? 'product_key' : ''
}

/** The refusals of the service, each at its field. A product may be named by its code as well. */
export function refusalsOf(failure: ApiFailure): ShownFault[] {
  if (failure.faults.length === 0) {
    const path = placeOf(failure)
    return path === '' ? [] : [{ path, message: failure.message }]
  }
  return failure.faults.map(({ path, message }) => ({
    path: path === 'product_code' ? 'product_key' : path,
    message,
  }))
}
