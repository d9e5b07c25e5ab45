/** What a history record lacks, and what can be done about it. */

import type { Schemas } from '@/api'

export type Evidence = Schemas['MissingEvidence']
export type EvidenceKind = Schemas['MissingEvidenceKind']

/** How the page helps: by a form, by a jump to another part of it, or by another page. */
export type Remedy = 'value' | 'build' | 'issue' | 'order' | 'file' | 'code' | 'release'

const REMEDIES: Record<EvidenceKind, Remedy> = {
  form_value_missing: 'value',
  component_missing: 'build',
  issue_open: 'issue',
  step_not_done: 'order',
  file_missing: 'file',
  file_changed: 'file',
  code_missing: 'code',
  not_released: 'release',
}

export function remedyOf(evidence: Evidence): Remedy {
  return REMEDIES[evidence.kind]
}

/** What is wrong comes first, then what is only not done yet; within that, in the order of the record. */
const ORDER: readonly EvidenceKind[] = [
  'issue_open',
  'file_changed',
  'file_missing',
  'component_missing',
  'form_value_missing',
  'step_not_done',
  'code_missing',
  'not_released',
]

export function byWeight(list: readonly Evidence[]): Evidence[] {
  return [...list].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
}

/** What counts against completeness: all but the release, which is the last thing a unit gets. */
export function counted(list: readonly Evidence[]): number {
  return list.filter(({ kind }) => kind !== 'not_released').length
}

export interface RecordOptions {
  readonly steps: boolean
  readonly attachments: boolean
  readonly children: boolean
}

/** Whether what is missing is a fault by now: while a unit is in production, most of it is simply still to come. */
export function isFault(list: readonly Evidence[], released: boolean): boolean {
  return released || list.some(({ kind }) => kind === 'issue_open' || kind === 'file_changed')
}

/** What is to be told: a scrapped unit is not waited for. */
export function told(list: readonly Evidence[], scrapped: boolean): Evidence[] {
  return byWeight(scrapped ? list.filter(({ kind }) => kind !== 'not_released') : list)
}

/** The path of the record in a format; the options only concern what is printed. */
export function recordPath(serialKey: string, format: 'pdf' | 'zip' | 'json', options: RecordOptions): string {
  const query = new URLSearchParams({ format })
  if (options.steps) query.set('include_step_data', 'true')
  if (options.attachments) query.set('include_attachments', 'true')
  if (options.children) query.set('include_children', 'true')
  return `/serial/${encodeURIComponent(serialKey)}/dhr?${query}`
}
