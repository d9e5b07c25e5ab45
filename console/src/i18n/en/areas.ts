import panel from './panel'
import product from './product'
import production from './production'
import serial from './serial'
import serials from './serials'
import thing from './thing'
import trace from './trace'
import typed from './typed'

/** The English texts of the areas; they come with the first page of one. */
const areas = { panel, product, production, serial, serials, thing, trace, typed } as const

export default areas
