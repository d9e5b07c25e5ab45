import type { Messages } from '../messages'

const frame = {} as const satisfies Messages

export default frame
