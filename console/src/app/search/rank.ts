/*
 * Which hits come first: the exact code, then codes that begin with what was typed, then those that contain it, then other words.
 */

import type { HitKind } from '@/scan'
import { KINDS } from './kinds'

export interface Rankable {
  readonly kind: HitKind
  readonly key: string
  readonly code: string | null
  readonly name: string | null
}

export const EXACT = 0

/** 0 is the best. */
export function rankOf({ code, name }: Pick<Rankable, 'code' | 'name'>, text: string): number {
  const wanted = plain(text)
  const coded = plain(code ?? '')
  const named = plain(name ?? '')
  if (coded === wanted) return EXACT
  if (coded.startsWith(wanted)) return 1
  if (named.startsWith(wanted)) return 2
  if (coded.includes(wanted)) return 3
  return named.includes(wanted) ? 4 : 5
}

function plain(text: string): string {
  return text
    .trim()
    .toLocaleLowerCase()
    .replace(/^\*+|\*+$/g, '')
}

const ORDER = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Each thing once, the best hits first. */
export function ranked<Hit extends Rankable>(hits: readonly Hit[], text: string): Hit[] {
  const each = [...new Map(hits.map((hit) => [`${hit.kind}/${hit.key}`, hit])).values()]
  return each
    .map((hit) => ({ hit, rank: rankOf(hit, text) }))
    .sort((a, b) => a.rank - b.rank || ORDER.compare(a.hit.code ?? '', b.hit.code ?? ''))
    .map(({ hit }) => hit)
}

export interface Group<Hit> {
  readonly kind: HitKind
  readonly hits: readonly Hit[]
  /** How many there are in all, where the service has said so. */
  readonly total: number | null
}

/** The groups that found something: the one with the best hit first. */
export function orderGroups<Hit extends Rankable>(groups: readonly Group<Hit>[], text: string): Group<Hit>[] {
  const best = ({ hits: [first] }: Group<Hit>) => (first ? rankOf(first, text) : Number.POSITIVE_INFINITY)
  return groups
    .filter(({ hits }) => hits.length > 0)
    .sort((a, b) => best(a) - best(b) || KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
}

/** A text cut at the first place where it contains what was typed: before, the match, behind. */
export function matchIn(text: string, typed: string): [string, string, string] {
  const wanted = typed.trim().replace(/^\*+|\*+$/g, '')
  const at = wanted === '' ? -1 : text.toLocaleLowerCase().indexOf(wanted.toLocaleLowerCase())
  if (at < 0) return [text, '', '']
  return [text.slice(0, at), text.slice(at, at + wanted.length), text.slice(at + wanted.length)]
}
