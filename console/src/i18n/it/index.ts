import areas from './areas'
import first from './first'

/** All Italian texts, by area. */
const it = { ...first, ...areas }

export default it
