import { useCallback, useMemo, useState } from 'react'
import type { Column } from './types'

export type Visibility = Record<string, boolean>

/** Which columns are shown if nobody has chosen. */
export function usualColumns<Row>(columns: readonly Column<Row>[]): Visibility {
  return Object.fromEntries(columns.map(({ id, optional }) => [id, optional !== true]))
}

/** The choice for these columns: what was kept counts only for columns that still exist and may be hidden. */
export function visibleColumns<Row>(columns: readonly Column<Row>[], kept: Visibility): Visibility {
  const usual = usualColumns(columns)
  for (const { id, fixed } of columns) {
    const choice = kept[id]
    if (typeof choice === 'boolean' && fixed !== true) usual[id] = choice
  }
  return usual
}

const CHOSEN = new Map<string, Visibility>()

/** What remembers the choice: the preferences of the user; the frame hands it in with `rememberColumns`. */
interface Memory {
  read(table: string): Visibility | undefined
  write(table: string, choice: Visibility | undefined): void
}

let memory: Memory = {
  read: (table) => CHOSEN.get(table),
  write: (table, choice) => {
    if (choice === undefined) CHOSEN.delete(table)
    else CHOSEN.set(table, choice)
  },
}

/** Tells tables where column choices are kept. Until then they last as long as the page. */
export function rememberColumns(by: Memory): void {
  memory = by
}

/** The chosen columns of a table, remembered by its name. */
export function useColumns<Row>(table: string, columns: readonly Column<Row>[]) {
  const [kept, setKept] = useState<Visibility>(() => memory.read(table) ?? {})
  const visibility = useMemo(() => visibleColumns(columns, kept), [columns, kept])
  const choose = useCallback(
    (choice: Visibility | undefined) => {
      memory.write(table, choice)
      setKept(choice ?? {})
    },
    [table],
  )
  return { visibility, choose }
}
