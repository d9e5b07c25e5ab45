import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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

  it('are remembered for every language and every record: tables have fixed names of their own', () => {
    const src = fileURLToPath(new URL('../..', import.meta.url))
    const pages = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.tsx'))
    const tables = pages.flatMap(
      (path) => readFileSync(join(src, path), 'utf8').match(/<DataTable\s[^>]*?name=\S+/g) ?? [],
    )
    const names = tables.map((table) => table.replace(/^.*name=/s, ''))
    expect(names.length).toBeGreaterThan(10)
    expect(names.filter((name) => !/^"[a-z-]+"$/.test(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })
})
