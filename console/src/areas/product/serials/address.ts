import type { Schemas } from '@/api'

/** The list of serials, narrowed to the code of a product and perhaps a state. */
export function serialList(productCode: string, state?: Schemas['SerialState']): string {
  const params = new URLSearchParams({ product: productCode.replaceAll(/[\\*?]/g, '\\$&') })
  if (state !== undefined) params.set('state', state)
  return `/serial?${params}`
}
