import { api, bare, detail } from '@/api'
import { type Finders, type Hit, startsWith } from './resolve'

/** Enough for the exact code to be among them: lists are sorted by code, and shorter ones come first. */
export const FEW = 10

/** Asks the service, by the operations that come closest to an exact code. */
export const finders: Finders = {
  serial: async (code, signal) => {
    const found = await bare(api.GET('/serial-code', { params: { query: { serial_code: code, limit: FEW } }, signal }))
    return found.map((serial) => ({
      kind: 'serial',
      key: serial._key,
      code: serial.code ?? '',
      productKey: serial.product_key,
    }))
  },
  product: async (code, signal) => {
    const query = { search_string: startsWith(code), active_only: false, limit: FEW }
    const found = await bare(api.GET('/product', { params: { query }, signal }))
    return found.map((product) => ({
      kind: 'product',
      key: product._key,
      code: product.code,
      about: product.description ?? undefined,
    }))
  },
  order: async (code, signal) => {
    const found = await detail(api.GET('/work-order', { params: { query: { search: code, limit: 50 } }, signal }))
    return found.map((order) => ({ kind: 'order', key: order._key, code: order.wo_code, about: order.product_code }))
  },
  position: async (code, signal) => {
    const within = (root: string) =>
      bare(
        api.GET('/position', {
          params: { query: { search: startsWith(code), is_in_position: root, limit: FEW } },
          signal,
        }),
      )
    const found = await Promise.all([within('IN'), within('OUT')])
    return found.flat().map((position) => ({ kind: 'position', key: position._key, code: position.code }))
  },
  task: async (code, signal) => {
    const found = await bare(api.GET('/task', { params: { query: { code: startsWith(code), limit: 50 } }, signal }))
    return found.map((task) => ({ kind: 'task', key: task._key, code: task.code, about: task.title ?? undefined }))
  },
  issue: async (code, signal): Promise<Hit[]> => {
    // Issues have no code of their own; what is printed of them carries their key.
    if (!/^[0-9a-v]{13}$/.test(code)) return []
    const found = await bare(api.GET('/issue', { params: { query: { issue_key: [code], limit: 1 } }, signal }))
    return found.map((issue) => ({ kind: 'issue', key: issue._key, code: issue._key, about: issue.title ?? undefined }))
  },
}
