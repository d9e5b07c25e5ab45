import type en from '../en/search'
import type { Translation } from '../messages'

const search: Translation<typeof en> = {}

export default search
