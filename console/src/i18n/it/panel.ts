import type en from '../en/panel'
import type { Translation } from '../messages'

const panel: Translation<typeof en> = {}

export default panel
