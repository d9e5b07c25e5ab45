import { useCallback, useMemo, useState } from 'react'
import { firstOpened, type Opened, reveal } from './opened'
import type { Web } from './web'

const KEPT = new Map<string, Opened>()

/** What is open of a trace. It lasts as long as the page is loaded, so that coming back shows what was left. */
export function useOpened(name: string, web: Web, selected: string | undefined) {
  const [opened, setState] = useState<Opened>(() => {
    const known = KEPT.get(name) ?? firstOpened(web)
    return selected === undefined ? known : reveal(web, known, selected)
  })
  const setOpened = useCallback(
    (next: Opened) => {
      KEPT.set(name, next)
      setState(next)
    },
    [name],
  )
  return useMemo(() => ({ opened, setOpened }), [opened, setOpened])
}
