import { type ReactNode, useId } from 'react'

interface TableSectionProps {
  readonly title: string
  /** Gets the heading, for the line above the table. */
  readonly children: (heading: ReactNode) => ReactNode
}

/** A part of the page that is one table: its heading stands in the line of the table's tools. */
export function TableSection({ title, children }: TableSectionProps) {
  const id = useId()
  return (
    <section className="tw-section" aria-labelledby={id}>
      {children(<h2 id={id}>{title}</h2>)}
    </section>
  )
}
