import { type ComponentType, createElement, type ReactNode, use, useEffect } from 'react'
import { loadAreaTexts } from '@/i18n'

/**
 * Fetches what comes after the first page, with what it shares with others of its kind: styles, and the texts of the areas. The styles
 * come first, so that those of the module win.
 */
export async function later<Module>(load: () => Promise<Module>): Promise<Module> {
  const [, , module] = await Promise.all([import('@/ui/mantine-more'), loadAreaTexts(), load()])
  return module
}

const forgets = new Set<() => void>()

/** Forgets which code could not be fetched: what is shown again asks for it again. */
export function forgetFailures(): void {
  for (const forget of forgets) forget()
  forgets.clear()
}

export interface Lately<Props> {
  (props: Props): ReactNode
  /** Until the code is there. */
  preload?: () => Promise<void>
}

/** A component whose code comes when it is shown. React's `lazy` keeps a failure for good, and the router's loads the whole page again, of
 * which a cut line would leave nothing; this one throws it until it is forgotten. */
export function lately<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>): Lately<Props> {
  let known: ComponentType<Props> | undefined
  let failure: { error: unknown } | undefined
  let coming: Promise<void> | undefined
  const forget = () => {
    failure = undefined
  }
  const come = async () => {
    try {
      known = (await load()).default
      delete component.preload
    } catch (error) {
      failure = { error }
      forgets.add(forget)
    }
    coming = undefined
  }
  const fetch = () => {
    coming ??= come()
    return coming
  }
  const component: Lately<Props> = (props) => {
    if (failure) throw failure.error
    if (!known) use(fetch())
    return known && createElement(known, props)
  }
  // What can't be fetched in advance is fetched when it is shown.
  component.preload = () => fetch().then(forget)
  return component
}

/** How long after the first page, in milliseconds. */
const SOON = 1500

/** Fetches what people may open next, once the first page is there: it then opens at once, also while the line is down. */
export function useSoon(parts: readonly ({ preload?: () => Promise<void> | undefined } | undefined)[]): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const part of parts) void part?.preload?.()
    }, SOON)
    return () => clearTimeout(timer)
  }, [parts])
}
