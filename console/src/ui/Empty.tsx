import type { ReactNode } from 'react'
import './Empty.css'
import { Icon, type IconName } from './icons'

interface EmptyProps {
  readonly icon?: IconName
  /** What would be here. */
  readonly title: string
  /** How it comes here. */
  readonly children?: ReactNode
  /** The button or link that fills it. */
  readonly action?: ReactNode
}

/** What a page or part says while there is nothing in it. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div className="tw-empty">
      {icon && <Icon name={icon} size={28} />}
      <p className="tw-empty-title">{title}</p>
      {children && <div className="tw-empty-text">{children}</div>}
      {action && <div className="tw-empty-action">{action}</div>}
    </div>
  )
}
