import { createContext, type ReactNode, use, useEffect, useState } from 'react'
import { createPortal } from 'react-dom'
import { useText } from '@/i18n'
import './Code.css'
import { plainly } from './hidden-signs'
import { Icon } from './icons'

interface CopyableProps {
  /** What goes to the clipboard. */
  readonly value: string
  readonly children: ReactNode
}

/**
 * Where the copy buttons of a heading stand: beside it. Inside, their names would be part of its own, and screen readers would say the code
 * twice.
 */
export const CopySlot = createContext<HTMLElement | null | undefined>(undefined)

/** Anything, with a button behind it that copies its value. The button shows on hover and focus. */
export function Copyable({ value, children }: CopyableProps) {
  const slot = use(CopySlot)
  if (slot === undefined) {
    return (
      <span className="tw-copyable">
        {children}
        <CopyButton value={value} />
      </span>
    )
  }
  return (
    <>
      {children}
      {slot && createPortal(<CopyButton value={value} />, slot)}
    </>
  )
}

function CopyButton({ value }: { value: string }) {
  const t = useText()
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => setCopied(await toClipboard(value))
  const label = copied ? t('ui.copied') : t('ui.copy', { code: plainly(value) })
  return (
    <button
      type="button"
      className="tw-copy"
      data-copied={copied || undefined}
      aria-label={label}
      title={label}
      onClick={copy}
    >
      <Icon name={copied ? 'check' : 'copy'} size={14} />
    </button>
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
