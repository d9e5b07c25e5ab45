import { useText } from '@/i18n'
import { useScan } from '@/scan'
import { unitsOfCode } from '../queries'
import { codeOf, keyInLink } from '../recall/codes'
import { traceRoute } from '../routes'

/** A unit that is scanned on this page is traced. */
export function useTraceScan(): void {
  const t = useText()
  const navigate = traceRoute.useNavigate()
  useScan(async (scanned) => {
    const linked = scanned.kind === 'console' ? keyInLink(scanned.to) : undefined
    if (linked !== undefined) {
      await navigate({ search: { serial: linked } })
      return { ok: true }
    }
    const code = codeOf(scanned)
    if (code === undefined) return undefined
    const units = await unitsOfCode(code)
    const [unit, ...others] = units
    // Codes of other things open their page as everywhere.
    if (!unit) return undefined
    if (others.length > 0) {
      await navigate({ search: { q: code } })
      return { ok: true, say: t('trace.scan.several', { code }) }
    }
    await navigate({ search: { serial: unit._key } })
    return { ok: true, say: t('trace.scan.opened', { code: unit.code ?? code }) }
  })
}
