import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { productRoute } from './routes'
import type { PageSearch } from './tabs'

/** What the address says, and how to change it without leaving the part that is shown. */
export function usePageSearch(): [PageSearch, (change: Partial<PageSearch>) => void] {
  const search = productRoute.useSearch()
  const navigate = useNavigate({ from: '/product/$productKey/$tab' })
  const change = useCallback(
    (changes: Partial<PageSearch>) => {
      navigate({ search: (old: PageSearch) => ({ ...old, ...changes }), replace: true, resetScroll: false })
    },
    [navigate],
  )
  return [search, change]
}
