import type { Messages } from '../messages'

const home = {} as const satisfies Messages

export default home
