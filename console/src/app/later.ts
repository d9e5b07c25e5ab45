import { useEffect } from 'react'
import { loadAreaTexts } from '@/i18n'

/**
 * Fetches what comes after the first page, with what it shares with others of its kind: styles, and the texts of the areas. The styles
 * come first, so that those of the module win.
 */
export async function later<Module>(load: () => Promise<Module>): Promise<Module> {
  const [, , module] = await Promise.all([import('@/ui/mantine-more'), loadAreaTexts(), load()])
  return module
}

/** How long after the first page, in milliseconds. */
const SOON = 1500

/** Fetches what people may open next, once the first page is there: it then opens at once, also while the line is down. */
export function useSoon(loads: readonly (() => Promise<unknown>)[]): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      // What can't be fetched now is fetched when it is opened.
      for (const load of loads) load().catch(() => undefined)
    }, SOON)
    return () => clearTimeout(timer)
  }, [loads])
}
