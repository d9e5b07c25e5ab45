import type { Messages } from '../messages'

const panel = {} as const satisfies Messages

export default panel
