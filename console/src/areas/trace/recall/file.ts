/*
 * The recall list as a file: what the page knows of each unit, in the words of the page.
 */

import type { Formats, Text } from '@/i18n'
import { offsetOf } from '@/i18n/formats'
import { wordOf } from '@/ui/states'
import type { Column } from '@/ui/table/types'
import { outerName, suspectName, unitName } from './columns'
import { detailOf, placeOf, type RecalledUnit, sinceOf } from './groups'

export type SuspectCodes = ReadonlyMap<string, { readonly code: string | null; readonly product?: string }>

/** The suspects of all units, each once. */
export function suspectsOf(units: readonly RecalledUnit[]): string[] {
  return [...new Set(units.flatMap(({ via }) => via))]
}

/** The suspects in a unit by code: those that the service names, and how many others there are. */
function suspectList(t: Text, unit: RecalledUnit, codes: SuspectCodes): string {
  const names = unit.via.map((key) => suspectName(t, codes.get(key)))
  const rest = unit.via_count - names.length
  return names.join('; ') + (rest > 0 ? ` ${t('trace.recall.more', { count: rest })}` : '')
}

/** Without the right to read serials there are no codes of suspects, only their number. */
export function fileColumns(t: Text, formats: Formats, codes: SuspectCodes | null): Column<RecalledUnit>[] {
  const words = t as unknown as (key: string) => string
  const moment = (at: string | null) => (at === null ? null : `${formats.dateTime(at)} (${offsetOf(at)})`)
  const column = (id: string, head: string, text: Column<RecalledUnit>['text']) => ({ id, head, text })
  return [
    column('unit', t('trace.recall.col.unit'), (unit) => unitName(t, unit)),
    column('product', t('trace.table.product'), (unit) => unit.product_code),
    column('description', t('trace.table.description'), (unit) => unit.product_description),
    column('affected', t('trace.recall.col.affected'), (unit) => t(placeOf(unit) === 'scrapped' ? 'ui.no' : 'ui.yes')),
    column('place', t('trace.recall.col.now'), (unit) => words(wordOf('place', placeOf(unit)))),
    column('inside', t('trace.recall.col.inside'), (unit) => outerName(t, unit)),
    column('detail', t('trace.recall.col.detail'), (unit) => detailOf(t, unit)),
    column('since', t('trace.recall.col.since'), (unit) => moment(sinceOf(unit))),
    column('made', t('trace.recall.col.made'), (unit) => moment(unit.released)),
    column('order', t('trace.recall.col.order'), (unit) => unit.wo_code),
    column('project', t('trace.recall.col.project'), (unit) => unit.project_code),
    column('depth', t('trace.recall.col.depth'), (unit) => unit.depth),
    column('suspects', t('trace.recall.col.suspects'), (unit) => unit.via_count),
    ...(codes === null ? [] : [column('which', t('trace.recall.col.which'), (unit) => suspectList(t, unit, codes))]),
    column('key', t('trace.recall.col.key'), (unit) => unit.serial_key ?? unit.batch_key),
  ]
}
