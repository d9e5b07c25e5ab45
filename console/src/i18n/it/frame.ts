import type en from '../en/frame'
import type { Translation } from '../messages'

const frame: Translation<typeof en> = {}

export default frame
