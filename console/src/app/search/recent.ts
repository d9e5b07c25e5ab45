/*
 * The things that somebody opened last in this tab, for the search that begins with nothing typed.
 */

import type { HitKind } from '@/scan'
import { thingAt } from './kinds'

export interface Recent {
  readonly kind: HitKind
  readonly key: string
  /** What the page called it. */
  readonly title: string
}

const MOST = 8

/** The newest first, each thing once. */
export function withRecent(before: readonly Recent[], opened: Recent): Recent[] {
  const others = before.filter(({ kind, key }) => kind !== opened.kind || key !== opened.key)
  return [opened, ...others].slice(0, MOST)
}

/** What a page was about, by its address and the title of its tab; undefined before the page knows its own name. */
export function recentOf(path: string, tabTitle: string, placeholder: string | undefined): Recent | undefined {
  const thing = thingAt(path)
  const title = tabTitle.replace(/ · Tracewright$/, '').trim()
  if (thing === undefined || title === '' || title === placeholder || title === 'Tracewright') return undefined
  return { ...thing, title }
}

export function isRecent(value: unknown): value is Recent {
  if (typeof value !== 'object' || value === null) return false
  const { kind, key, title } = value as Partial<Record<keyof Recent, unknown>>
  return typeof key === 'string' && typeof title === 'string' && thingAt(`/${kind}/x`) !== undefined
}

function place(userKey: string): string {
  return `tracewright.recent.${userKey}`
}

/** Kept as long as the tab, and apart for each user. */
export function readRecent(userKey: string): Recent[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(place(userKey)) ?? '[]')
    return Array.isArray(kept) ? kept.filter(isRecent) : []
  } catch {
    return []
  }
}

export function keepRecent(userKey: string, opened: Recent): void {
  try {
    sessionStorage.setItem(place(userKey), JSON.stringify(withRecent(readRecent(userKey), opened)))
  } catch {
    // A browser that keeps nothing has no recent things.
  }
}
