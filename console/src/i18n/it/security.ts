import type en from '../en/security'
import type { Translation } from '../messages'

const security: Translation<typeof en> = {}

export default security
