import { type ReactNode, useId } from 'react'
import { useFormats } from '@/i18n'
import './PageHead.css'

interface SectionProps {
  readonly title: string
  /** How many things are in it. */
  readonly count?: number | undefined
  /** Buttons and links at the right of the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A part of a page: told apart by its title and white space, not by a box. */
export function Section({ title, count, actions, children }: SectionProps) {
  const id = useId()
  const formats = useFormats()
  return (
    <section className="tw-section" aria-labelledby={id}>
      <div className="tw-section-head">
        <h2 id={id}>
          {title}
          {count !== undefined && <span className="tw-section-count">{formats.number(count)}</span>}
        </h2>
        {actions}
      </div>
      {children}
    </section>
  )
}
