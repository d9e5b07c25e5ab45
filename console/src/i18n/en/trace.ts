import type { Messages } from '../messages'

const trace = {} as const satisfies Messages

export default trace
