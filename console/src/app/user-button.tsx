import type { ComponentProps } from 'react'
import { useText } from '@/i18n'
import { fullName, useSession } from '@/session'

/** The first letters of the first and the last word. */
export function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean)
  const shown = words.length > 1 ? [words[0], words.at(-1)] : words
  return shown
    .map((word) => word?.[0] ?? '')
    .join('')
    .toUpperCase()
}

export function UserButton(props: ComponentProps<'button'>) {
  const t = useText()
  const name = fullName(useSession())
  return (
    <button type="button" {...props} className="tw-user-button">
      <span>{initials(name)}</span>
      <span className="tw-hidden">{t('frame.user.menu', { name })}</span>
    </button>
  )
}
