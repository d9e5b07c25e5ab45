import type { Messages } from '../messages'

const serial = {} as const satisfies Messages

export default serial
