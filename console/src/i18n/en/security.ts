import type { Messages } from '../messages'

const security = {} as const satisfies Messages

export default security
