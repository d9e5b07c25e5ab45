import { useFormats } from '@/i18n'

interface QuantityProps {
  /** An exact decimal, as text where it may have more than 15 digits. Null shows a dash. */
  readonly value: string | number | null | undefined
  readonly unit?: string | null | undefined
}

/** A quantity with all its digits, and its unit. */
export function Quantity({ value, unit }: QuantityProps) {
  const formats = useFormats()
  if (value === null || value === undefined) return <span className="tw-none">–</span>
  return (
    <span style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>
      {formats.decimal(value)}
      {unit ? <span style={{ color: 'var(--tw-ink-faint)' }}>{`\u00a0${unit}`}</span> : null}
    </span>
  )
}
