import type { Messages } from '../messages'

const typed = {
  dialog: 'What you typed is not saved. Close or leave once more to discard it.',
  scan: 'Nothing was opened: what you typed in the dialog is not saved.',
  twoNumbers: '{text} can be read in two ways: type {whole} or {fraction}.',
} as const satisfies Messages

export default typed
