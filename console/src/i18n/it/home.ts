import type en from '../en/home'
import type { Translation } from '../messages'

const home: Translation<typeof en> = {}

export default home
