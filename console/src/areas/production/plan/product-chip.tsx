import { useQuery } from '@tanstack/react-query'
import { useText } from '@/i18n'
import { useSession } from '@/session'
import { Icon } from '@/ui/icons'
import { productQuery } from '../queries'
import type { PlanSearch } from './search'

interface ChipProps {
  readonly product: string | undefined
  readonly onChange: (changes: Partial<PlanSearch>) => void
}

/** The product that the orders were narrowed to, and a way back to all. */
export function ProductChip({ product, onChange }: ChipProps) {
  const t = useText()
  const { can } = useSession()
  const wanted = product !== undefined && can('product:catalogue:read')
  const record = useQuery({ ...productQuery(product ?? ''), enabled: wanted })
  if (product === undefined) return null
  const code = record.data?.code
  return (
    <span className="tw-chip">
      <span className="tw-chip-text">
        {code === undefined ? t('production.plan.ofOne') : t('production.plan.of', { code })}
      </span>
      <button type="button" aria-label={t('production.plan.ofAll')} onClick={() => onChange({ of: undefined })}>
        <Icon name="cross" size={12} />
      </button>
    </span>
  )
}
