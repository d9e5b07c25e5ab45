import './Code.css'
import { Copyable } from './Copyable'
import { Go } from './Go'

interface CodeProps {
  /** The code as people know it; never a key. */
  readonly children: string
  /** Where the thing with this code is shown. */
  readonly to?: string | undefined
  /** Leaves the copy button out, where codes stand close together. */
  readonly bare?: boolean
}

/** A code: monospaced, with a button that copies it, and a link if there is a page. */
export function Code({ children, to, bare = false }: CodeProps) {
  const code =
    to === undefined ? (
      <span className="tw-code">{children}</span>
    ) : (
      <Go className="tw-code" to={to}>
        {children}
      </Go>
    )
  return bare ? code : <Copyable value={children}>{code}</Copyable>
}
