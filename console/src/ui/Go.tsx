import { useRouter } from '@tanstack/react-router'
import { type AnchorHTMLAttributes, type MouseEvent, useCallback } from 'react'

interface GoProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  /** An address of the console, such as `/serial/abc?as_of=…`. */
  readonly to: string
}

/** A link inside the console: a real address, opened without loading the page anew. */
export function Go({ to, onClick, ...rest }: GoProps) {
  const go = useGo()
  const click = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    if (event.defaultPrevented || event.button !== 0 || wantsTab(event)) return
    event.preventDefault()
    go(to)
  }
  return <a {...rest} href={to} onClick={click} />
}

/** Whether a click asks for a new tab or window. */
export function wantsTab(event: { ctrlKey: boolean; metaKey: boolean; shiftKey: boolean }): boolean {
  return event.ctrlKey || event.metaKey || event.shiftKey
}

/** Opens an address of the console. */
export function useGo(): (to: string) => void {
  const router = useRouter()
  return useCallback((to) => router.history.push(to), [router])
}
