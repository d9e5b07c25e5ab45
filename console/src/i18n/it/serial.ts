import type en from '../en/serial'
import type { Translation } from '../messages'

const serial: Translation<typeof en> = {}

export default serial
