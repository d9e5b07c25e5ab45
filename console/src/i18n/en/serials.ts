import type { Messages } from '../messages'

const serials = {
  file: 'serials',
  search: 'Code of the serial',
  states: 'States',
  'states.released': 'Released or shipped',
  'col.code': 'Serial',
  'col.state': 'State',
  'col.product': 'Product',
  'col.description': 'Description',
  'col.order': 'Work order',
  'col.project': 'Project',
  'col.created': 'Made',
  'col.released': 'Released',
  'col.scrapped': 'Scrapped',
  'col.reason': 'Reason for scrap',
  'filter.product': 'Product code',
  'filter.order': 'Work order',
  'filter.project': 'Project',
  'filter.contains': 'Contains the unit',
  'filter.within': 'Is inside the unit',
  'filter.created': 'Made',
  'filter.released': 'Released',
  'filter.deleted': 'With deleted units',
  none: 'No serials yet',
  'none.text': 'Units appear here as soon as an order makes them, or goods with serial numbers are received.',
  noMatch: 'No serial fits these filters',
  'noMatch.text': 'In codes, * stands for any characters and ? for one: DU7-*15.',
  'noMatch.clear': 'Clear the filters',
} as const satisfies Messages

export default serials
