import { useDocumentTitle } from '@/ui/document-title'

/** The title of the browser's tab while the page is shown. `PageHead` of `ui/` sets it too; use this where a page has no head. */
export function PageTitle({ children }: { children: string }) {
  useDocumentTitle(children)
  return null
}
