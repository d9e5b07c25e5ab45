import type { ReactNode } from 'react'
import { useEffect } from 'react'
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
  useEffect(() => {
    document.title = `${title} · Tracewright`
  }, [title])
  return (
    <header className="tw-head">
      <div className="tw-head-main">
        {trail && <div className="tw-head-trail">{trail}</div>}
        <div className="tw-head-line">
          <h1>{shown ?? title}</h1>
          {mark}
        </div>
        {answer && <div className="tw-head-answer">{answer}</div>}
      </div>
      {actions && <div className="tw-head-actions">{actions}</div>}
    </header>
  )
}
