import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { shippedQuery } from '@/areas/trace/shipped'
import type { HitKind } from '@/scan'
import { useSession } from '@/session'
import { FIND, type Found, markShipped, releasedIn } from './find'
import { KINDS, RIGHTS, TAGS } from './kinds'
import { meaningOf, stemOf } from './meaning'
import { EXACT, type Group, orderGroups, rankOf } from './rank'

/** The kinds that the user may search. */
export function useSearchable(): HitKind[] {
  const { can } = useSession()
  return useMemo(() => KINDS.filter((kind) => can(RIGHTS[kind])), [can])
}

export interface Finding {
  /** The groups that found something, best first. */
  readonly groups: readonly Group<Found>[]
  readonly text: string
  /** Some kind has not answered for this text yet. */
  readonly busy: boolean
  /** Kinds that could not be searched. */
  readonly failed: readonly { readonly kind: HitKind; readonly error: unknown; readonly retry: () => void }[]
  /** The things with exactly this code. */
  readonly exact: readonly Found[]
}

/** The hits, which do not wait for it, and then which of them have left. */
function useShipped(groups: readonly Group<Found>[]): readonly Group<Found>[] {
  const { can } = useSession()
  const released = releasedIn(groups)
  const { data } = useQuery({ ...shippedQuery(released), enabled: released.length > 0 && can('trace:read') })
  return data === undefined ? groups : markShipped(groups, data)
}

/** Searches all kinds at once; each group is there as soon as it answers. */
export function useFind(typed: string, kinds: readonly HitKind[], limit: number): Finding {
  const { text } = useMemo(() => meaningOf(typed, window.location.origin), [typed])
  const answers = useQueries({
    queries: kinds.map((kind) => ({
      queryKey: [TAGS[kind], 'search', kind, text, limit],
      queryFn: ({ signal }: { signal: AbortSignal }) => FIND[kind]({ text, limit, signal }),
      enabled: text !== '',
      placeholderData: keepPreviousData,
      staleTime: 15_000,
    })),
  })
  const known = text === '' ? [] : answers.flatMap(({ data, isError }) => (data && !isError ? [data] : []))
  const failed = answers.flatMap(({ isError, error, refetch }, at) => {
    const kind = kinds[at]
    return isError && kind !== undefined ? [{ kind, error, retry: () => void refetch() }] : []
  })
  const groups = useShipped(orderGroups(known, text))
  const exact = groups.flatMap(({ hits }) => hits.filter((hit) => rankOf(hit, text) === EXACT))
  const busy = text !== '' && answers.some(({ isPending, isPlaceholderData }) => isPending || isPlaceholderData)
  return { groups, text, busy, failed, exact }
}

/** Codes that begin like one that nothing has. */
export function useNeighbours(code: string, enabled: boolean) {
  const { can } = useSession()
  const stem = stemOf(code)
  return useQuery({
    queryKey: ['serial', 'search', 'like', stem],
    queryFn: ({ signal }) => FIND.serial({ text: `${stem}*`, limit: 6, signal }),
    enabled: enabled && stem !== undefined && can('serial:read'),
  })
}

/** A value once it has been the same for a moment. */
export function useSettled<T>(value: T, after: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), after)
    return () => clearTimeout(timer)
  }, [value, after])
  return settled
}
