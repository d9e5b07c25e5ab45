import type { Messages } from '../messages'

const search = {} as const satisfies Messages

export default search
