import { useEffect } from 'react'
import { plainly } from './hidden-signs'

/** The title of the browser's tab. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${plainly(title)} · Tracewright`
  }, [title])
}
