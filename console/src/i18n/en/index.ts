import areas from './areas'
import first from './first'

/** All English texts, by area. They are the source of the keys. */
const en = { ...first, ...areas }

export default en
