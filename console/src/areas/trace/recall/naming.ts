/*
 * How the suspects of the address change. Scans come faster than the page is drawn, so each change begins with what the address names
 * by then, not with what was shown when the scan began.
 */

import { namesOf } from './lists'
import { namedKeys } from './queries'
import type { Selection } from './selection'

type Search = (old: Selection) => Selection

export interface Naming {
  readonly add: (keys: readonly string[]) => void
  readonly remove: (keys: readonly string[]) => void
}

export function namingOf(userKey: string, navigate: (search: Search) => void): Naming {
  const change = (next: (keys: readonly string[]) => readonly string[]) =>
    navigate((old) => {
      const { serial, list } = namesOf(userKey, next(namedKeys(userKey, old) ?? []))
      return { ...old, serial, list, place: undefined }
    })
  return {
    add: (more) => change((keys) => [...keys, ...more]),
    remove: (less) => change((keys) => keys.filter((key) => !less.includes(key))),
  }
}
