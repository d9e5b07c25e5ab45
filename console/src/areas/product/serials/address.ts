import type { Schemas } from '@/api'

/** The list of serials, narrowed to a product and perhaps a state. */
export function serialList(productKey: string, state?: Schemas['SerialState']): string {
  const params = new URLSearchParams({ product: productKey })
  if (state !== undefined) params.set('state', state)
  return `/serial?${params}`
}
