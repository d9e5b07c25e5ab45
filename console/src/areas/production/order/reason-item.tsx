import { Menu } from '@mantine/core'
import type { ReactNode } from 'react'
import { useText } from '@/i18n'
import type { Refusal } from './allowed'

interface ReasonItemProps {
  readonly children: string
  readonly icon?: ReactNode
  /** Why it can't be done now; null if it can. */
  readonly refusal: Refusal
  readonly danger?: boolean
  readonly onClick: () => void
}

/** An entry of a menu that says why it can't be chosen. It stays in reach of the keyboard, so that everybody can read it. */
export function ReasonItem({ children, icon, refusal, danger = false, onClick }: ReasonItemProps) {
  const t = useText()
  const refused = refusal !== null
  return (
    <Menu.Item
      className="tw-wo-reason-item"
      leftSection={icon}
      // Mantine takes disabled entries out of the keyboard's way, so only the attribute for screen readers is set.
      ref={(entry) => entry?.setAttribute('aria-disabled', String(refused))}
      data-danger={(danger && !refused) || undefined}
      data-refused={refused || undefined}
      closeMenuOnClick={!refused}
      onClick={() => !refused && onClick()}
    >
      {children}
      {refusal !== null && <span className="tw-wo-reason">{t(refusal)}</span>}
    </Menu.Item>
  )
}
