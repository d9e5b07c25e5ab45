import type { ReactNode } from 'react'

/** A list whose columns line up: an icon, a word, the thing, and its state or quantity. */
export function Rows({ children }: { children: ReactNode }) {
  return <ul className="tw-glance-list">{children}</ul>
}

interface RowProps {
  readonly icon: ReactNode
  readonly first: ReactNode
  readonly children?: ReactNode
  readonly end?: ReactNode
  /** The end is a number: its digits line up. */
  readonly numeric?: boolean
}

export function Row({ icon, first, children, end, numeric }: RowProps) {
  return (
    <li>
      <span className="tw-glance-icon">{icon}</span>
      <span>{first}</span>
      <span className="tw-glance-main">{children}</span>
      <span className="tw-glance-end" data-numeric={numeric || undefined}>
        {end}
      </span>
    </li>
  )
}
