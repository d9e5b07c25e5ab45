/*
 * Which products the form of a new order offers: those with a process, and only behind them those that no order can be made for.
 */

import { queryOptions } from '@tanstack/react-query'
import { api, bare } from '@/api'

export interface Choice {
  readonly _key: string
  readonly code: string
  readonly description: string | null
  /** It has a process. Without one the service refuses an order. */
  readonly made: boolean
}

type Row = Omit<Choice, 'made'> & { readonly process_phases: readonly unknown[] }

const PAGE = 100
/** The service finds no products by whether they have a process: who has more than these types more of the code. */
const PAGES = 10
const SHOWN = 20

/** The first products that can be made, with `others` also some that can't. Stops reading as soon as there are enough. */
export async function choicesAmong(fetchRows: (offset: number) => Promise<Row[]>, others: boolean): Promise<Choice[]> {
  const made: Choice[] = []
  const unmade: Choice[] = []
  for (let at = 0; at < PAGES && made.length < SHOWN; at += 1) {
    const rows = await fetchRows(at * PAGE)
    for (const { _key, code, description, process_phases } of rows) {
      const choice = { _key, code, description, made: process_phases.length > 0 }
      if (choice.made) made.push(choice)
      else unmade.push(choice)
    }
    if (rows.length < PAGE) break
  }
  return [...made, ...(others ? unmade : [])].slice(0, SHOWN)
}

/** Products whose code or description has the text. Who types the code of a bought one learns why it can't be chosen. */
export function choicesQuery(typed: string) {
  return queryOptions({
    queryKey: ['product', 'to-make', typed],
    queryFn: ({ signal }) =>
      choicesAmong(async (offset) => {
        const query = { include_text: typed || undefined, details: true, limit: PAGE, offset }
        const rows = await bare(api.GET('/product', { params: { query }, signal }))
        return rows.flatMap((row) => ('process_phases' in row ? [row] : []))
      }, typed !== ''),
  })
}
