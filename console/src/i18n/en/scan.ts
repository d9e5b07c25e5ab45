import type { Messages } from '../messages'

const scan = {
  box: 'Search or scan a code',
  hint: 'Search or scan',
  submit: 'Find',
  found: 'Found: {name}',
  noPage: 'Found: {name}. It can’t be opened, because its key is no address.',
  none: 'Nothing has the code {code}.',
  several: { one: '{count} thing has the code {code}.', other: '{count} things have the code {code}.' },
  taken: 'Scanned: {code}',
  refused: 'Refused: {code}',
  failed: 'The code {code} could not be looked up: {message}',
  loading: 'The page is still loading. Scan again.',
  sound: 'Sound on scan',
  'kind.serial': 'Serial',
  'kind.product': 'Product',
  'kind.order': 'Work order',
  'kind.position': 'Position',
  'kind.task': 'Task',
  'kind.issue': 'Issue',
} as const satisfies Messages

export default scan
