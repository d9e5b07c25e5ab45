import frame from './frame'
import home from './home'
import panel from './panel'
import product from './product'
import production from './production'
import scan from './scan'
import search from './search'
import security from './security'
import serial from './serial'
import serials from './serials'
import trace from './trace'
import ui from './ui'

/** The English texts, by area. They are the source of the keys. */
const en = { frame, home, panel, product, production, scan, search, security, serial, serials, trace, ui } as const

export default en
