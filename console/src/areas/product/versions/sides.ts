import type { BomVersion } from '../queries'
import type { PageSearch } from '../tabs'

export interface Sides {
  readonly from: number
  readonly to: number
}

/** The versions to compare: those of the address if they exist, else the newest with the one before it. */
export function sidesOf(
  versions: readonly Pick<BomVersion, 'version'>[],
  search: Pick<PageSearch, 'from' | 'to'>,
): Sides | null {
  const numbers = versions.map(({ version }) => version).sort((a, b) => b - a)
  const known = (text: string | undefined) => numbers.find((number) => String(number) === text)
  const to = known(search.to) ?? numbers[0]
  if (to === undefined) return null
  const from = known(search.from) ?? numbers.find((number) => number < to) ?? numbers.find((number) => number !== to)
  return from === undefined ? null : { from, to }
}

/** When a version came into force. */
export function sinceOf(
  versions: readonly Pick<BomVersion, 'version' | 'created'>[],
  number: number,
): string | undefined {
  return versions.find(({ version }) => version === number)?.created
}

/** The span of time between two versions, the earlier first. */
export function spanOf(
  versions: readonly Pick<BomVersion, 'version' | 'created'>[],
  { from, to }: Sides,
): [string, string] | null {
  const times = [sinceOf(versions, from), sinceOf(versions, to)].filter((time) => time !== undefined).sort()
  const [first, last] = times
  return first === undefined || last === undefined ? null : [first, last]
}
