/*
 * History records that lack something. The service has no list of them, so the records of the newest units are read one after the
 * other, a few at a time, and each is judged as soon as it is there.
 */

import { api, bare, type Schemas } from '@/api'

export type Unit = Schemas['SerialFound']
export type Missing = Schemas['MissingEvidence']

export type Issue = Pick<Schemas['RecordIssue'], 'issue_key' | 'title'>

export interface Checked {
  readonly unit: Unit
  readonly missing: readonly Missing[]
  /** The issues of the record, for their titles. */
  readonly issues: readonly Issue[]
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
