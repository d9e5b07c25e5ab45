import type { ReactNode } from 'react'
import './Facts.css'

export interface Fact {
  readonly label: string
  /** Null, undefined and false leave the fact out. */
  readonly value: ReactNode
}

interface FactsProps {
  readonly facts: readonly Fact[]
  /** `rows`: labels at the left, one below the other. `line`: labels above, side by side. */
  readonly look?: 'rows' | 'line'
}

/** Facts about a thing: label and value, without lines or boxes. */
export function Facts({ facts, look = 'rows' }: FactsProps) {
  const shown = facts.filter(({ value }) => value !== null && value !== undefined && value !== false)
  return (
    <dl className="tw-facts" data-look={look}>
      {shown.map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
