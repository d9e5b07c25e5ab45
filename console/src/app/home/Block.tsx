import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Go } from '@/ui/Go'
import { Icon, type IconName } from '@/ui/icons'
import { LoadFailed } from '@/ui/LoadFailed'
import { Section } from '@/ui/Section'
import { Lines } from '@/ui/Skeletons'
import type { BlockName } from './roles'

/** How many rows a block shows; the page behind it has them all. */
export const ROWS = 6

interface BlockProps<Data> {
  readonly name: BlockName
  readonly title: string
  readonly count?: number | undefined
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'isError' | 'refetch'>
  /** Where all of it is. */
  readonly more?: { readonly to: string; readonly label: string } | undefined
  readonly children: (data: Data) => ReactNode
}

/** One question of the home page: it loads, fails and answers on its own. */
export function Block<Data>({ name, title, count, query, more, children }: BlockProps<Data>) {
  return (
    <div className="tw-home-block" id={`home-${name}`} data-block={name}>
      <Section
        title={title}
        count={count}
        actions={
          more && (
            <Go className="tw-home-more" to={more.to}>
              {more.label}
              <Icon name="right" size={12} />
            </Go>
          )
        }
      >
        <Answer query={query}>{children}</Answer>
      </Section>
    </div>
  )
}

function Answer<Data>({ query, children }: Pick<BlockProps<Data>, 'query' | 'children'>) {
  if (query.data !== undefined) return children(query.data)
  if (query.isError) return <LoadFailed error={query.error} onRetry={() => query.refetch()} />
  return <Lines count={4} />
}

/** What a block says while there is nothing to do: good news in one line. */
export function Calm({ icon = 'done', children }: { icon?: IconName; children: ReactNode }) {
  return (
    <p className="tw-home-calm" data-icon={icon}>
      <Icon name={icon} size={18} />
      <span>{children}</span>
    </p>
  )
}

/** The rows of a block, each a link. */
export function Rows({ children }: { children: ReactNode }) {
  return <ul className="tw-home-rows">{children}</ul>
}

interface RowProps {
  readonly to: string
  /** What is read first: an age, a date, a state. */
  readonly lead?: ReactNode
  readonly title: ReactNode
  readonly about?: ReactNode
  /** At the right. */
  readonly end?: ReactNode
}

export function Row({ to, lead, title, about, end }: RowProps) {
  return (
    <li>
      <Go className="tw-home-row" to={to} data-lead={lead !== undefined || undefined}>
        {lead !== undefined && <span className="tw-home-lead">{lead}</span>}
        <span className="tw-home-main">
          <span className="tw-home-title">{title}</span>
          {about && <span className="tw-home-about">{about}</span>}
        </span>
        {end && <span className="tw-home-end">{end}</span>}
      </Go>
    </li>
  )
}

/** What was left out of a block. */
export function Rest({ children }: { children: ReactNode }) {
  return <p className="tw-home-rest">{children}</p>
}
