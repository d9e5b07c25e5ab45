/*
 * What can be done to a unit here, and by whom. Every act asks the service, which decides; acts that the service would refuse in any case
 * are not offered.
 */

import type { Schemas } from '@/api'

export interface WantedProduct {
  readonly key: string
  readonly code: string
  readonly description: string | null
}

export type Act =
  | { readonly kind: 'values'; readonly field?: string | undefined }
  | { readonly kind: 'code' }
  | { readonly kind: 'build'; readonly parentKey: string; readonly product?: WantedProduct }
  | { readonly kind: 'takeOut' }
  | { readonly kind: 'release' }
  | { readonly kind: 'unrelease' }
  | { readonly kind: 'scrap' }
  | { readonly kind: 'unscrap' }

export type ActKind = Act['kind']

export interface Rights {
  readonly create: boolean
  readonly correct: boolean
}

type Unit = Pick<Schemas['Serial'], 'state' | 'released' | 'scrapped' | 'deleted' | 'code' | 'wo_key' | 'data'>

/** The acts that make sense for a unit as it stands now. */
export function actsFor(unit: Unit, builtIn: boolean, rights: Rights, codeEdit: boolean): ActKind[] {
  if (!rights.create || unit.deleted !== null) return []
  if (unit.scrapped !== null) return rights.correct ? ['unscrap'] : []
  const acts: ActKind[] = []
  const open = unit.released === null
  if (unit.data.length > 0 && (open || rights.correct)) acts.push('values')
  acts.push('build')
  if (unit.code === null || (codeEdit && (open || rights.correct))) acts.push('code')
  if (builtIn) acts.push('takeOut')
  if (open && unit.wo_key === null) acts.push('release')
  if (!open && rights.correct && unit.state === 'released') acts.push('unrelease')
  if (!builtIn) acts.push('scrap')
  return acts
}

/** Why somebody finds nothing to do here, where people would look for it. */
export function whyNot(
  unit: Unit,
  rights: Rights,
  past: boolean,
): 'past' | 'deleted' | 'rights' | 'correct' | undefined {
  if (past) return 'past'
  if (unit.deleted !== null) return 'deleted'
  if (!rights.create) return 'rights'
  if (unit.scrapped !== null && !rights.correct) return 'correct'
  return undefined
}
