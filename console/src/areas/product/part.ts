import type { FullProduct } from './queries'

/** What every part of the product page is given. */
export interface PartProps {
  readonly product: FullProduct
}
