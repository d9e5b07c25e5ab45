import { queryOptions, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Page } from '@/api'
import { useSession } from '@/session'
import { fetchProducts, type Product, productQuery } from './queries'

const PAGE = 500
/** Plants with more products see the units of the first ones: the service lists no products by key. */
const PAGES = 4

export type Units = ReadonlyMap<string, string>

/** The units of products, from a list that ends as soon as all of them came by. */
export async function unitsAmong(
  keys: readonly string[],
  fetchPage: (offset: number) => Promise<Pick<Page<Pick<Product, '_key' | 'unit'>>, 'rows'>>,
): Promise<Units> {
  const units = new Map<string, string>()
  const missing = new Set(keys)
  for (let at = 0; at < PAGES && missing.size > 0; at += 1) {
    const { rows } = await fetchPage(at * PAGE)
    for (const { _key, unit } of rows) if (missing.delete(_key)) units.set(_key, unit)
    if (rows.length < PAGE) break
  }
  return units
}

/** So many are asked for one by one: that is less than a page of the catalogue, and misses none. */
const FEW = 12

/** What can't be read, has no unit. */
export async function unitsOf(
  keys: readonly string[],
  fetchOne: (key: string) => Promise<Pick<Product, 'unit'>>,
): Promise<Units> {
  const found = await Promise.all(keys.map((key) => fetchOne(key).catch(() => null)))
  return new Map(keys.flatMap((key, at) => (found[at] ? [[key, found[at].unit] as const] : [])))
}

const unitsQuery = (keys: readonly string[]) =>
  queryOptions({
    queryKey: ['product', 'units', ...keys],
    queryFn: ({ signal, client }) => {
      if (keys.length <= FEW) return unitsOf(keys, (key) => client.fetchQuery(productQuery(key)))
      const fetchPage = fetchProducts({ active_only: false })
      return unitsAmong(keys, (offset) => fetchPage({ limit: PAGE, offset, count: false, signal }))
    },
    staleTime: 300_000,
  })

/** In what the components of a structure are counted. */
export function useUnits(keys: readonly string[]): Units {
  const { can } = useSession()
  const once = useMemo(() => [...new Set(keys)].sort(), [keys])
  const units = useQuery({ ...unitsQuery(once), enabled: once.length > 0 && can('product:catalogue:read') })
  return units.data ?? NONE
}

const NONE: Units = new Map()
