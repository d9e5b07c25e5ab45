import type en from '../en/product'
import type { Translation } from '../messages'

const product: Translation<typeof en> = {}

export default product
