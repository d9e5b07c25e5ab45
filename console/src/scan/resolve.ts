/*
 * From a scanned code to the things that have it: serials, products, work orders, positions, tasks and issues, all asked
 * for at once.
 */

import { ApiFailure } from '@/api/faults'
import type { Scanned } from './gs1'

export const KINDS = ['serial', 'product', 'order', 'position', 'task', 'issue'] as const
export type HitKind = (typeof KINDS)[number]

export interface Hit {
  readonly kind: HitKind
  readonly key: string
  readonly code: string
  /** What people read beside the code, such as the description of a product. */
  readonly about?: string | undefined
  readonly productKey?: string | undefined
}

/** Finds the things of one kind that may have the code; they are compared again here. */
export type Finder = (code: string, signal: AbortSignal) => Promise<Hit[]>
export type Finders = Readonly<Record<HitKind, Finder>>

export function sameCode(one: string, other: string): boolean {
  return one.trim().toLocaleUpperCase() === other.trim().toLocaleUpperCase()
}

/** A wildcard pattern for codes that begin with a text. */
export function startsWith(text: string): string {
  return `${text.replaceAll(/[\\*?]/g, '\\$&')}*`
}

/** The codes to look for, kind by kind. */
export function questions(scanned: Scanned): { kind: HitKind; code: string }[] {
  if (scanned.kind === 'console') return []
  if (scanned.kind === 'plain') return KINDS.map((kind) => ({ kind, code: scanned.code }))
  const all: { kind: HitKind; code: string | undefined }[] = [
    { kind: 'serial', code: scanned.serial },
    { kind: 'serial', code: scanned.serial === undefined ? scanned.lot : undefined },
    { kind: 'position', code: scanned.sscc },
    { kind: 'serial', code: scanned.sscc },
    ...(scanned.serial === undefined ? articles(scanned.gtin) : []),
  ]
  return all.filter((one): one is { kind: HitKind; code: string } => one.code !== undefined)
}

/** An article number as products may be called by it: with 14 digits, or without the leading zeros of shorter ones. */
function articles(gtin: string | undefined): { kind: HitKind; code: string }[] {
  if (gtin === undefined) return []
  const forms = new Set([gtin, gtin.replace(/^0/, ''), gtin.replace(/^0{2}(?=\d{12}$)/, '')])
  return [...forms].map((code) => ({ kind: 'product', code }))
}

async function ask(finders: Finders, question: { kind: HitKind; code: string }, signal: AbortSignal): Promise<Hit[]> {
  try {
    const hits = await finders[question.kind](question.code, signal)
    return hits.filter(({ code }) => sameCode(code, question.code))
  } catch (error) {
    // Who may not see things of a kind does not find them.
    if (error instanceof ApiFailure && (error.status === 403 || error.status === 422)) return []
    throw error
  }
}

/** All things that have the code, in the order of kinds. What one kind finds counts even if another one fails. */
export async function resolve(scanned: Scanned, finders: Finders, signal: AbortSignal): Promise<Hit[]> {
  const answers = await Promise.allSettled(questions(scanned).map((question) => ask(finders, question, signal)))
  const hits = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  const failed = answers.find((answer) => answer.status === 'rejected')
  if (hits.length === 0 && failed) throw failed.reason
  return distinct(hits).sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
}

function distinct(hits: readonly Hit[]): Hit[] {
  return [...new Map(hits.map((hit) => [`${hit.kind}/${hit.key}`, hit])).values()]
}
