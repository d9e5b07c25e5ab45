/*
 * History records that lack something. The service has no list of them, so the records of the newest units are read one after the
 * other, a few at a time, and each is judged as soon as it is there.
 */

import type { QueryClient } from '@tanstack/react-query'
import { api, bare, type Schemas } from '@/api'
import type { Notice } from '@/live'

export type Unit = Schemas['SerialFound']
export type Missing = Schemas['MissingEvidence']

export type Issue = Pick<Schemas['RecordIssue'], 'issue_key' | 'title'>

export interface Checked {
  readonly unit: Unit
  readonly missing: readonly Missing[]
  /** The issues of the record, for their titles. */
  readonly issues: readonly Issue[]
}

/** The records that were read, by the key of the unit. */
export const RECORDS = ['home', 'record'] as const

/** Whether a notice may change what a record lacks. It does not name every unit of a great many. */
function isAbout(notice: Notice, key: string, missing: readonly Missing[]): boolean {
  const units = [notice.serial_key, ...(notice.serial_keys ?? [])]
  if (notice.event_count !== undefined || Number(notice.count ?? 0) > units.length) return true
  return (
    units.includes(key) ||
    missing.some(
      ({ parent_serial_key: parent, issue_key: issue }) =>
        (parent != null && units.includes(parent)) || (issue != null && issue === notice.issue_key),
    )
  )
}

/** The records that a notice is about are read again when they are next asked for. Whether there are any. */
export function forget(client: QueryClient, notice: Notice): boolean {
  const about = client.getQueryCache().findAll({
    queryKey: RECORDS,
    predicate: ({ queryKey, state }) =>
      isAbout(notice, String(queryKey[2]), (state.data as Checked | undefined)?.missing ?? []),
  })
  for (const query of about) {
    const again = () => query.invalidate()
    again()
    // What is under way may be from before.
    if (query.state.fetchStatus !== 'idle') query.promise?.then(again, again)
  }
  return about.length > 0
}

/** Works through a list, `width` at a time; `each` is told in the order in which they end. */
export async function inTurn<In, Out>(
  list: readonly In[],
  width: number,
  work: (one: In) => Promise<Out>,
  each: (out: Out) => void,
): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let at = next++; at < list.length; at = next++) {
      const one = list[at]
      if (one !== undefined) each(await work(one))
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, list.length) }, worker))
}

/** What a record lacks besides the release. */
export function lacks(record: { complete: boolean; missing_evidence: readonly Missing[] }): Missing[] {
  return record.complete ? [] : record.missing_evidence.filter(({ kind }) => kind !== 'not_released')
}

/** The incomplete ones, in the order of the units. */
export function incomplete(checked: readonly Checked[], units: readonly Unit[]): Checked[] {
  const byKey = new Map(checked.map((one) => [one.unit._key, one]))
  return units.flatMap((unit) => {
    const one = byKey.get(unit._key)
    return one && one.missing.length > 0 ? [one] : []
  })
}

export async function checkUnit(unit: Unit, signal: AbortSignal): Promise<Checked> {
  const params = { path: { serial_key: unit._key }, query: { format: 'json' as const } }
  const record = await bare(api.GET('/serial/{serial_key}/dhr', { params, signal }))
  if (typeof record === 'string') throw new Error('the record is not JSON')
  return { unit, missing: lacks(record), issues: record.acceptance_records.issues }
}
