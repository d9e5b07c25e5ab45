import { dayOf } from '../days'
import type { Column, Plain } from './types'

const BOM = '\ufeff'

/** A cell that a spreadsheet would take for a formula gets an apostrophe, unless it is a number. What spreadsheets pass over counts for
 * nothing, as in the tables of the service. */
function harmless(text: string): string {
  const formula = /^['\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u.test(text)
  const number = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)
  return formula && !number ? `'${text}` : text
}

/** One field of a CSV file, quoted where it has to be; semicolons separate fields to spreadsheets in some countries. */
export function csvField(value: Plain): string {
  if (value === null || value === undefined) return ''
  const text = harmless(String(value))
  return /[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Rows as a CSV file (RFC 4180) that spreadsheets read as UTF-8. Decimals keep their digits and the point. */
export function toCsv<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(({ head }) => csvField(head))]
  for (const row of rows) lines.push(columns.map(({ text }) => csvField(text(row))))
  return `${BOM}${lines.map((fields) => fields.join(',')).join('\r\n')}\r\n`
}

/** A name for the file: what it is, and the day. */
export function csvName(name: string, now: Date = new Date()): string {
  return `${name.replaceAll(/[^\p{L}\p{N}_-]+/gu, '-')}-${dayOf(now.toISOString())}.csv`
}
