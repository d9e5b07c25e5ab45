import { type ReactNode, useRef, useState } from 'react'
import { CopySlot } from './Copyable'
import { useDocumentTitle } from './document-title'
import { plainly } from './hidden-signs'
import { ShowAll } from './LongText'
import { useCut } from './use-cut'
import './PageHead.css'

interface PageHeadProps {
  /** What this is; it also becomes the title of the browser's tab. */
  readonly title: string
  /** The title as an element, where a plain text will not do (a code that can be copied). */
  readonly shown?: ReactNode
  /** The line above: where this is, as links. */
  readonly trail?: ReactNode
  /** The state, beside the title. */
  readonly mark?: ReactNode
  /** The sentence that answers the question of the page. */
  readonly answer?: ReactNode
  /** Buttons at the right: the main one last. */
  readonly actions?: ReactNode
}

/** The head of a page. */
export function PageHead({ title, shown, trail, mark, answer, actions }: PageHeadProps) {
  useDocumentTitle(title)
  const [slot, setSlot] = useState<HTMLElement | null>(null)
  return (
    <header className="tw-head">
      <div className="tw-head-main">
        {trail && <div className="tw-head-trail">{trail}</div>}
        <div className="tw-head-line">
          <CopySlot value={slot}>
            <Title title={title}>{shown ?? title}</Title>
          </CopySlot>
          {mark}
          {/* Behind the mark: what is seen only on hover leaves no gap before it. */}
          <span className="tw-head-copy" ref={setSlot} />
        </div>
        {answer && <div className="tw-head-answer">{answer}</div>}
      </div>
      {actions && <div className="tw-head-actions">{actions}</div>}
    </header>
  )
}

/** The heading: two lines of it, and all where it is longer and somebody asks. */
function Title({ title, children }: { title: string; children: ReactNode }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const [open, setOpen] = useState(false)
  const cut = useCut(heading, open)
  return (
    <>
      <h1 ref={heading} data-open={open || undefined} title={cut && !open ? plainly(title) : undefined}>
        {children}
      </h1>
      {cut && <ShowAll open={open} onToggle={() => setOpen(!open)} />}
    </>
  )
}
