import { describe, expect, it } from 'vitest'
import { choicesIn, usualColumns, visibleColumns } from './columns'
import type { Column } from './types'

const columns: Column<string>[] = [
  { id: 'code', head: 'Code', text: (row) => row, fixed: true },
  { id: 'state', head: 'State', text: (row) => row },
  { id: 'notes', head: 'Notes', text: (row) => row, optional: true },
]

describe('columns', () => {
  it('are shown unless they are optional', () => {
    expect(usualColumns(columns)).toEqual({ code: true, state: true, notes: false })
  })

  it('follow what was chosen, except fixed ones and ones that are gone', () => {
    expect(visibleColumns(columns, { code: false, state: false, notes: true, old: true })).toEqual({
      code: true,
      state: false,
      notes: true,
    })
  })

  it('are remembered by table, and what is no choice is passed over', () => {
    expect(choicesIn({ columns: { serials: { notes: true }, odd: 7 }, theme: 'dark' })).toEqual({
      serials: { notes: true },
    })
    expect(choicesIn(undefined)).toEqual({})
    expect(choicesIn({ columns: [] })).toEqual({})
  })
})
