import { useContext, useMemo, useState } from 'react'
import { SessionContext, savePreferences } from '@/session'
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

/** What the preferences of the user hold under `columns`: a choice for each table. */
export function choicesIn(preferences: unknown): Readonly<Partial<Record<string, Visibility>>> {
  const columns = isRecord(preferences) ? preferences.columns : undefined
  if (!isRecord(columns)) return {}
  return Object.fromEntries(
    Object.entries(columns).filter((entry): entry is [string, Visibility] => isRecord(entry[1])),
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The chosen columns of a table, remembered in the user's preferences by the table's name. */
export function useColumns<Row>(table: string, columns: readonly Column<Row>[]) {
  const preferences = useContext(SessionContext)?.preferences
  const [chosen, setChosen] = useState<Visibility>()
  const all = useMemo(() => choicesIn(preferences), [preferences])
  const kept = chosen ?? all[table]
  const visibility = useMemo(() => visibleColumns(columns, kept ?? {}), [columns, kept])
  const choose = (choice: Visibility | undefined) => {
    setChosen(choice ?? {})
    // If it cannot be saved, the choice still holds on this page.
    if (preferences) void savePreferences({ columns: { ...all, [table]: choice ?? {} } }).catch(() => undefined)
  }
  return { visibility, choose }
}
