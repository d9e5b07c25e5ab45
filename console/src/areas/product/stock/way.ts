import type { StockRow } from '../queries'

/** The positions that contain a row, from the outside in, without the one that holds it. */
export function wayTo(row: Pick<StockRow, 'path' | 'position_key'>): string {
  return row.path
    .filter(({ position_key }) => position_key !== row.position_key)
    .map(({ position_code }) => position_code)
    .join(' › ')
}
