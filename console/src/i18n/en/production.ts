import type { Messages } from '../messages'

const production = {} as const satisfies Messages

export default production
