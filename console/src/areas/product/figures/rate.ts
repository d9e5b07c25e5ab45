import type { Decimal } from '@/api/decimal'
import { percent } from '../bom/exact'

/** A share in per cent, as the language writes it, with one digit that is cut off, not rounded: 0.99999 is not 100 %. */
export function rateText(tag: string, share: Decimal): string {
  const format = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 1 })
  return format.format(`${percent(share)}e-2` as `${number}`)
}
