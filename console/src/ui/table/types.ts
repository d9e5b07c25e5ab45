import type { ReactNode } from 'react'

/** What a cell says as plain text: for export and for sorting. Exact decimals as text or number, as the API gave them. */
export type Plain = string | number | boolean | null | undefined

export interface Column<Row> {
  readonly id: string
  readonly head: string
  readonly text: (row: Row) => Plain
  /** What is shown; the plain text where left out. Codes in tables are `bare`. */
  readonly cell?: (row: Row) => ReactNode
  /** Right-aligned, with figures of one width, and sorted as exact decimals. */
  readonly numeric?: boolean
  /** In pixels; columns without it share what is left. */
  readonly width?: number | undefined
  /** What a column without a width has on a narrow page, in pixels; the table is scrolled sideways then. */
  readonly least?: number
  /** Breaks long texts into two lines, as many as a row has room for. */
  readonly wrap?: boolean
  /** Whether a click on its head sorts. */
  readonly sortable?: boolean
  /** Hidden until somebody chooses it. */
  readonly optional?: boolean
  /** Always shown. */
  readonly fixed?: boolean
}

export interface Sort {
  readonly by: string
  readonly descending: boolean
}
