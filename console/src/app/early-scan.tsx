import { useText } from '@/i18n'
import { useScan } from '@/scan'
import { useSession } from '@/session'

/** Whether the operator panel was opened, and is still being fetched. */
export function isPanelComing(pathname: string, mood: string | undefined): boolean {
  return /^\/panel(\/|$)/.test(pathname) && mood !== 'floor'
}

/** A scan that comes before the panel would open a page of the desk instead: it has to be made again. */
export function EarlyScan() {
  const t = useText()
  const { can } = useSession()
  useScan(
    () =>
      isPanelComing(window.location.pathname, document.documentElement.dataset.mood)
        ? { ok: false, say: t('scan.loading') }
        : undefined,
    { priority: -1, enabled: can('traceability:event:create') },
  )
  return null
}
