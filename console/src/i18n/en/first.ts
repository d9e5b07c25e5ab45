import frame from './frame'
import home from './home'
import lack from './lack'
import marks from './marks'
import pages from './pages'
import scan from './scan'
import search from './search'
import security from './security'
import ui from './ui'

/** The English texts of the frame and of the pages that people begin with. */
const first = { frame, home, lack, marks, pages, scan, search, security, ui } as const

export default first
