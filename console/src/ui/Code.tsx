import { useText } from '@/i18n'
import './Code.css'
import { Copyable } from './Copyable'
import { Go } from './Go'
import { nameOf, piecesOf } from './hidden-signs'

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
  const letters = <Letters code={children} />
  const code =
    to === undefined ? (
      <span className="tw-code">{letters}</span>
    ) : (
      <Go className="tw-code" to={to}>
        {letters}
      </Go>
    )
  return bare ? code : <Copyable value={children}>{code}</Copyable>
}

/** The letters of a code, with a mark for each that would not be seen. */
function Letters({ code }: { code: string }) {
  const t = useText()
  const pieces = piecesOf(code)
  if (pieces.length === 1) return code
  const parts = pieces.map((piece, at) => ({ id: `part-${at}`, piece, hidden: at % 2 === 1 }))
  return parts.map(({ id, piece, hidden }) => {
    if (!hidden) return piece
    const name = nameOf(piece)
    return (
      <span className="tw-code-hidden" key={id} title={t('ui.code.hidden', { name })}>
        {name}
      </span>
    )
  })
}
