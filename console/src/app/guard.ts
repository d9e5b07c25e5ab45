/*
 * What somebody may see, and where they go after signing in.
 */

import type { Scope } from '@/session/machine'

interface Guarded {
  scope?: Scope
}

/** The right that a page asks for and the user lacks, or null. The deepest route decides last. */
export function missingScope(matches: readonly Guarded[], can: (scope: Scope) => boolean): Scope | null {
  for (const { scope } of matches) if (scope !== undefined && !can(scope)) return scope
  return null
}

export function visible<Item extends Guarded>(items: readonly Item[], can: (scope: Scope) => boolean): Item[] {
  return items.filter((item) => missingScope([item], can) === null)
}

/** Where to go after signing in: only ever a page of this console. */
export function safeTarget(wanted: string | undefined): string {
  if (wanted === undefined || !/^\/(?![/\\])/.test(wanted)) return '/'
  return wanted.startsWith('/sign-in') ? '/' : wanted
}

/** The sign-in page that leads back to an address. */
export function signInAddress(from: string): string {
  const target = safeTarget(from)
  return target === '/' ? '/sign-in' : `/sign-in?to=${encodeURIComponent(target)}`
}
