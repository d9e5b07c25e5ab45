import type { ReactNode } from 'react'
import { useText } from '@/i18n'
import { Go } from '@/ui/Go'
import { PageHead } from '@/ui/PageHead'

export interface HeadProps {
  readonly title: string
  readonly shown?: ReactNode
  /** The kind of the thing. */
  readonly trail: string
  readonly mark?: ReactNode
  readonly answer?: ReactNode
}

/** The head of the page of a thing. Its kind has no list of its own yet: home leads to it, and back. */
export function ThingHead({ trail, ...head }: HeadProps) {
  const t = useText()
  return (
    <PageHead
      {...head}
      trail={
        <span className="tw-glance-path">
          <span>
            <Go to="/">{t('frame.home')}</Go>
          </span>
          <span>
            <span aria-hidden="true">› </span>
            {trail}
          </span>
        </span>
      }
    />
  )
}

/** Looks like the head of a page; the page itself is the search. */
export function SmallHead({ title, shown, trail, mark, answer }: HeadProps) {
  return (
    <header className="tw-head">
      <div className="tw-head-main">
        <div className="tw-head-trail">{trail}</div>
        <div className="tw-head-line">
          <h2>{shown ?? title}</h2>
          {mark}
        </div>
        {answer && <div className="tw-head-answer">{answer}</div>}
      </div>
    </header>
  )
}
