import { type ReactNode, useEffect, useState } from 'react'
import { useText } from '@/i18n'
import './Code.css'
import { Icon } from './icons'

interface CopyableProps {
  /** What goes to the clipboard. */
  readonly value: string
  readonly children: ReactNode
}

/** Anything, with a button behind it that copies its value. The button shows on hover and focus. */
export function Copyable({ value, children }: CopyableProps) {
  const t = useText()
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => setCopied(await toClipboard(value))
  return (
    <span className="tw-copyable">
      {children}
      <button
        type="button"
        className="tw-copy"
        data-copied={copied || undefined}
        aria-label={copied ? t('ui.copied') : t('ui.copy', { code: value })}
        title={copied ? t('ui.copied') : t('ui.copy', { code: value })}
        onClick={copy}
      >
        <Icon name={copied ? 'check' : 'copy'} size={14} />
      </button>
    </span>
  )
}

/** Puts a text on the clipboard; browsers allow the modern way only over https and on localhost. */
export async function toClipboard(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value)
    return true
  } catch {
    return copyBySelection(value)
  }
}

function copyBySelection(value: string): boolean {
  const area = document.createElement('textarea')
  area.value = value
  area.className = 'tw-hidden'
  document.body.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  return copied
}
