import type en from '../en/production'
import type { Translation } from '../messages'

const production: Translation<typeof en> = {}

export default production
