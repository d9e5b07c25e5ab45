import type { Messages } from '../messages'

const product = {} as const satisfies Messages

export default product
