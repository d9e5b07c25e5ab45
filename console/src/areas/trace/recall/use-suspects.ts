import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormats, useText } from '@/i18n'
import { useScan } from '@/scan'
import { useSession } from '@/session'
import { unitsOfCode } from '../queries'
import { recallRoute } from '../routes'
import { codeOf, keyInLink } from './codes'
import { suspectName } from './columns'
import { namingOf } from './naming'
import { codesQuery, namedKeys, orderNameQuery, productNameQuery } from './queries'
import { type Criteria, criteriaOf, hasCriteria, NO_CRITERIA } from './selection'

/** So many suspects are shown by name. */
export const NAMED = 24

export interface SuspectName {
  readonly key: string
  readonly code: string
  readonly product: string
}

export interface SuspectsState {
  /** Units named one by one. */
  readonly keys: readonly string[]
  /** The first of them with their codes. */
  readonly named: readonly SuspectName[]
  readonly criteria: Criteria
  /** The criteria in words; null without any. */
  readonly words: string | null
  /** The address names a list that this tab does not have. */
  readonly lost: boolean
  /** Codes of pasted lists that no unit has, while this page is open. */
  readonly missing: readonly string[]
  readonly add: (keys: readonly string[], missing?: readonly string[]) => void
  readonly remove: (keys: readonly string[]) => void
  readonly setCriteria: (criteria: Criteria) => void
  readonly clear: () => void
}

/** The suspects of the address, and how they change. */
export function useSuspects(): SuspectsState {
  const t = useText()
  const { can, user_key } = useSession()
  const selection = recallRoute.useSearch()
  const navigate = recallRoute.useNavigate()
  const kept = namedKeys(user_key, selection)
  const keys = kept ?? []
  const codes = useQuery(codesQuery(keys.slice(0, NAMED), can('serial:read')))
  const criteria = criteriaOf(selection)
  const [missing, setMissing] = useState<readonly string[]>([])
  const naming = namingOf(user_key, (search) => void navigate({ search }))
  return {
    keys,
    named: keys.slice(0, NAMED).map((key) => {
      const known = codes.data?.get(key)
      return { key, code: suspectName(t, known), product: known?.product ?? '' }
    }),
    criteria,
    words: useCriteriaWords(criteria),
    lost: kept === undefined,
    missing,
    add: (more, without = []) => {
      setMissing((old) => [...new Set([...old, ...without])])
      naming.add(more)
    },
    remove: naming.remove,
    setCriteria: (next) => void navigate({ search: (old) => ({ ...old, ...next, place: undefined }) }),
    clear: () => {
      setMissing([])
      void navigate({
        search: (old) => ({ ...old, ...NO_CRITERIA, serial: undefined, list: undefined, place: undefined }),
      })
    },
  }
}

function useCriteriaWords(criteria: Criteria): string | null {
  const t = useText()
  const formats = useFormats()
  const { can } = useSession()
  const { product, code, order, batch, from, to, day } = criteria
  const productName = useQuery(productNameQuery(product, can('product:catalogue:read')))
  const orderName = useQuery(orderNameQuery(order, can('production:work-order:read')))
  if (!hasCriteria(criteria)) return null
  const parts = [
    product === undefined
      ? t('trace.recall.by.any')
      : t('trace.recall.by.product', { product: productName.data ?? '…' }),
  ]
  if (code !== undefined) parts.push(t('trace.recall.by.code', { code }))
  if (order !== undefined) parts.push(t('trace.recall.by.order', { order: orderName.data ?? '…' }))
  if (batch !== undefined) parts.push(t('trace.recall.by.batch'))
  const ends = { from: formats.date(from ?? ''), to: formats.date(to ?? '') }
  const key = from !== undefined && to !== undefined ? 'between' : from !== undefined ? 'from' : 'to'
  if (from !== undefined || to !== undefined) {
    const days = t(`trace.recall.by.${key}`, ends)
    parts.push(day === 'released' ? t('trace.recall.by.days.released', { days }) : t('trace.recall.by.days', { days }))
  }
  return parts.join(', ')
}

/** What a code was found to be: how many units have it. */
export interface Several {
  readonly code: string
  readonly units: readonly { readonly key: string; readonly productKey: string }[]
}

/** Adds the unit with a code; asks back if there are several. A scan on this page does the same. */
export function useAddByCode(suspects: SuspectsState, onSeveral: (several: Several) => void) {
  const t = useText()
  const addCode = async (code: string): Promise<{ ok: boolean; say: string }> => {
    const units = await unitsOfCode(code)
    const [unit, ...others] = units
    if (!unit) return { ok: false, say: t('trace.recall.unknown', { code }) }
    if (others.length > 0) {
      onSeveral({ code, units: units.map((one) => ({ key: one._key, productKey: one.product_key })) })
      return { ok: true, say: t('trace.recall.several', { code }) }
    }
    if (suspects.keys.includes(unit._key)) return { ok: true, say: t('trace.recall.known', { code }) }
    suspects.add([unit._key])
    return { ok: true, say: t('trace.recall.added', { code: unit.code ?? code }) }
  }
  useScan(async (scanned) => {
    const linked = scanned.kind === 'console' ? keyInLink(scanned.to) : undefined
    if (linked !== undefined) {
      suspects.add([linked])
      return { ok: true }
    }
    const code = codeOf(scanned)
    return code === undefined ? undefined : addCode(code)
  })
  return addCode
}
