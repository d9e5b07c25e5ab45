/*
 * Which units have left. Their state does not tell, it is still "released"; where a recall finds them does, of a whole page by one request.
 */

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, bare, type Schemas } from '@/api'

/** The keys of those that have left, of units that are in no other. */
export async function shippedOf(serialKeys: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
  const body = { serial_key: [...serialKeys], include_replaced: false, limit: 10_000, offset: 0, count: false }
  const rows = await bare(api.POST('/trace/recall', { body, signal }))
  const units = typeof rows === 'string' ? [] : rows
  return new Set(
    units.flatMap(({ location, serial_key }) => (location.status === 'shipped' && serial_key ? [serial_key] : [])),
  )
}

/** The same for what is shown already. */
export function shippedQuery(serialKeys: readonly string[]) {
  return queryOptions({
    queryKey: ['serial', 'shipped', ...serialKeys],
    queryFn: ({ signal }) => shippedOf(serialKeys, signal),
    enabled: serialKeys.length > 0,
    placeholderData: keepPreviousData,
  })
}

export type Shippable<Unit> = Unit & { readonly shipped?: boolean }

/** Marks those that have left. Where that cannot be told, the units stay as they are. */
export async function withShipped<Unit extends Pick<Schemas['Serial'], '_key' | 'state'>>(
  units: readonly Unit[],
  signal: AbortSignal,
  ask: typeof shippedOf = shippedOf,
): Promise<Shippable<Unit>[]> {
  const released = units.flatMap(({ _key, state }) => (state === 'released' ? [_key] : []))
  const shipped = released.length === 0 ? new Set<string>() : await ask(released, signal).catch(unknown(signal))
  return units.map((unit) => (shipped.has(unit._key) ? { ...unit, shipped: true } : unit))
}

function unknown(signal: AbortSignal) {
  return (): ReadonlySet<string> => {
    signal.throwIfAborted()
    return new Set()
  }
}
