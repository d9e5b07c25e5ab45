import type { Messages } from '../messages'

/** The names of the pages, in the navigation and as titles. */
const pages = {
  products: 'Products',
  plan: 'Production plan',
  order: 'Work order',
  panel: 'Operator panel',
  serial: 'Serial',
  serials: 'Serials',
  trace: 'Trace',
  recall: 'Recall',
} as const satisfies Messages

export default pages
