import { compare, isDecimal } from '@/api/decimal'
import type { Plain } from './types'

const COLLATORS = new Map<string, Intl.Collator>()

function collator(tag: string): Intl.Collator {
  const known = COLLATORS.get(tag)
  if (known !== undefined) return known
  const made = new Intl.Collator(tag, { numeric: true, sensitivity: 'base' })
  COLLATORS.set(tag, made)
  return made
}

/** The order of two cells: decimals exactly, texts as the language sorts them, with numbers inside by size. */
export function compareCells(a: Plain, b: Plain, numeric: boolean, tag: string): number {
  if (numeric && typeof a !== 'boolean' && typeof b !== 'boolean' && isDecimal(a) && isDecimal(b)) return compare(a, b)
  return collator(tag).compare(String(a ?? ''), String(b ?? ''))
}
