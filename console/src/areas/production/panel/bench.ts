/*
 * Components of the batch on the bench: what is read for a scan, and how a scan is written down.
 */

import type { QueryClient } from '@tanstack/react-query'
import { api, bare, detail, idempotent } from '@/api'
import type { Bench } from './logic/component-scan'
import { declaredIn, needsOf, slotsOf, unitInHand } from './logic/components'
import { scrapKeys } from './logic/scrap'
import { unlabelled } from './logic/unit-scan'
import type { Declared, JobDetail, Serial, Unit } from './model'
import { jobQuery, readAfresh, unitsQuery } from './queries'
import type { Work } from './use-work'

/** Where components go, as things stand. */
export function benchOf(work: Pick<Work, 'job' | 'order' | 'units' | 'draft'>, chosen: string | null): Bench {
  const { job, order, units, draft } = work
  const declared = declaredIn(job.wo_bom)
  const needs = needsOf(job, order, job.active_batch_qt)
  const slots = slotsOf(needs, units, declared, new Set(scrapKeys(draft.marks)))
  return { lines: job.wo_bom, slots, units, declared, inHand: unitInHand(slots, chosen), asksText: false }
}

/** The unit that the next label is for, as the service has them now: the page may not have read the last label yet. */
export async function nextUnlabelled(
  client: QueryClient,
  batchKey: string,
  scrapped: readonly string[],
): Promise<Unit | undefined> {
  const units = await client.fetchQuery({ ...unitsQuery(batchKey), staleTime: 0 })
  return unlabelled(units, scrapped)[0] ?? unlabelled(units)[0]
}

/** Links that were put here: they are temporary for sure. */
const own = new Set<string>()

/** Whether a component that was put here is gone, and not by a hand on this page. */
export function isTakenOut(job: Pick<JobDetail, 'wo_bom'>, childKey: string): boolean {
  return own.has(childKey) && !declaredIn(job.wo_bom).some(({ _key }) => _key === childKey)
}

/** Children that are linked for good, which a list of temporary links must not name. */
async function confirmedOf(client: QueryClient, batchKey: string, parent: string | null): Promise<Set<string>> {
  const keys = await client.fetchQuery({
    queryKey: ['panel-confirmed', batchKey, parent],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      if (parent === null) {
        const parts = await bare(api.GET('/component-batch', { params: { query: { batch_key: batchKey } } }))
        return parts.filter(({ confirmed }) => confirmed).map(({ _key }) => _key)
      }
      const parts = await bare(api.GET('/serial-children', { params: { query: { serial_key: parent } } }))
      return parts.flatMap(({ confirmed, replaced, serial_key }) =>
        confirmed && !replaced && serial_key !== null ? [serial_key] : [],
      )
    },
  })
  return new Set(keys)
}

async function temporary(client: QueryClient, batchKey: string, declared: readonly Declared[]): Promise<Declared[]> {
  const doubtful = declared.filter(({ _key }) => !own.has(_key))
  const parents = [...new Set(doubtful.map(({ parent_serial_key }) => parent_serial_key))]
  const confirmed = await Promise.all(parents.map((parent) => confirmedOf(client, batchKey, parent)))
  return declared.filter(({ _key }) => !confirmed.some((keys) => keys.has(_key)))
}

function replaceDeclared(job: JobDetail, declared: readonly Declared[]): JobDetail {
  const placed = new Set<string>()
  const lines = job.wo_bom.map((line) => {
    const first = !placed.has(line.component_key)
    placed.add(line.component_key)
    const its = first ? declared.filter((one) => one.component_key === line.component_key) : []
    return { ...line, declared_serials: its }
  })
  return { ...job, wo_bom: lines }
}

/** Another page has changed the components since they were judged. */
export class PartsMoved extends Error {}

function sameParts(a: readonly Declared[], b: readonly Declared[]): boolean {
  const place = ({ _key, parent_serial_key }: Declared) => `${_key} ${parent_serial_key}`
  const places = new Set(a.map(place))
  return a.length === b.length && b.every((part) => places.has(place(part)))
}

/** Writes down all components of the batch; the service checks each. It replaces the whole list and takes no revision, so the list is
 * read once more first: whoever writes back an old one takes out what another page has put in since. */
async function putParts(
  client: QueryClient,
  job: JobDetail,
  batchKey: string,
  change: (present: readonly Declared[]) => Declared[],
): Promise<void> {
  const judged = declaredIn(job.wo_bom)
  const parts = change(judged)
  const links = await temporary(client, batchKey, parts)
  const present = declaredIn((await readAfresh(client, jobQuery(job._key))).wo_bom)
  if (!sameParts(judged, present)) throw new PartsMoved()
  const body = links.map(({ _key, component_key, parent_serial_key }) => ({
    child_serial_key: _key,
    component_key,
    parent_serial_key,
    confirmed: false,
  }))
  const params = { path: { batch_key: batchKey }, header: idempotent() }
  await detail(api.PUT('/batch/{batch_key}/serial-temp-links', { params, body }))
  for (const { _key } of links) own.add(_key)
  const { queryKey } = jobQuery(job._key)
  client.setQueryData<JobDetail>(queryKey, (old) => old && replaceDeclared(old, parts))
  void client.invalidateQueries({ queryKey })
}

/** Does something with the job as it is now, and once more if the components change meanwhile. */
export async function onPresent<T>(
  client: QueryClient,
  jobKey: string,
  act: (job: JobDetail) => Promise<T>,
  again = 3,
): Promise<T> {
  try {
    return await act(await readAfresh(client, jobQuery(jobKey)))
  } catch (error) {
    if (error instanceof PartsMoved && again > 0) return onPresent(client, jobKey, act, again - 1)
    throw error
  }
}

/** `job` is what the scan was judged by. */
export function addPart(
  client: QueryClient,
  job: JobDetail,
  batchKey: string,
  child: Pick<Serial, '_key' | 'code' | 'product_key'>,
  unitKey: string | null,
): Promise<void> {
  const part: Declared = {
    _key: child._key,
    code: child.code,
    phase_key: job.phase_key,
    component_key: child.product_key,
    parent_serial_key: unitKey,
    batch_key: batchKey,
    link_key: '',
  }
  return putParts(client, job, batchKey, (present) => [...present, part])
}

export async function removePart(
  client: QueryClient,
  jobKey: string,
  batchKey: string,
  childKey: string,
): Promise<void> {
  // Before the service answers: what this page takes out was not taken out elsewhere.
  const here = own.delete(childKey)
  try {
    await onPresent(client, jobKey, (job) =>
      putParts(client, job, batchKey, (present) => present.filter(({ _key }) => _key !== childKey)),
    )
  } catch (error) {
    if (here) own.add(childKey)
    throw error
  }
}
