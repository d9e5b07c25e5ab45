import { describe, expect, it } from 'vitest'
import { usualColumns, visibleColumns } from './columns'
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
})
