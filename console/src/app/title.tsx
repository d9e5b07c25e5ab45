import { useEffect } from 'react'

/** The title of the browser's tab while the page is shown. `PageHead` of `ui/` sets it too; use this where a page has no head. */
export function PageTitle({ children }: { children: string }) {
  useEffect(() => {
    document.title = `${children} · Tracewright`
  }, [children])
  return null
}
