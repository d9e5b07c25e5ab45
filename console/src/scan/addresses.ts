import type { Hit } from './resolve'

/** The page of a thing; null if there is no address for it: browsers take these keys for steps in a path. */
export function pageOfHit({ kind, key }: Hit): string | null {
  if (key === '' || key === '.' || key === '..') return null
  return `/${kind}/${encodeURIComponent(key)}`
}

export function searchPage(text: string): string {
  return text === '' ? '/search' : `/search?q=${encodeURIComponent(text)}`
}
