import type { Messages } from '../messages'

/** What the history record of a unit lacks. */
const lack = {
  aUnit: 'a unit',
  value: '{label} is not filled in.',
  part: { one: '{count} {product} is missing.', other: '{count} {product} are missing.' },
  partOf: {
    one: '{count} {product} is missing in {parent}.',
    other: '{count} {product} are missing in {parent}.',
  },
  issue: 'A critical issue is open: {title}',
  step: 'The step “{step}” of {phase} is not done.',
  file: 'The file {name} is not stored.',
  fileChanged: 'The file {name} is not the one that was recorded.',
  code: 'It has no code.',
  release: 'It is not released yet.',
} as const satisfies Messages

export default lack
