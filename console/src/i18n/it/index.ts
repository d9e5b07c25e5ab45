import type en from '../en'
import type { Translation } from '../messages'
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

/** The Italian texts, by area. */
const it: { readonly [Area in keyof typeof en]: Translation<(typeof en)[Area]> } = {
  frame,
  home,
  panel,
  product,
  production,
  scan,
  search,
  security,
  serial,
  serials,
  trace,
  ui,
}

export default it
