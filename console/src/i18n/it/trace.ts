import type en from '../en/trace'
import type { Translation } from '../messages'

const trace: Translation<typeof en> = {}

export default trace
