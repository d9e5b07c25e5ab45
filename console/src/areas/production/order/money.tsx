import { useFormats } from '@/i18n'

/** A cost, to two digits; the exact one on hover. The plant knows its currency. */
export function Money({ value }: { value: string | number | null }) {
  const formats = useFormats()
  if (value === null) return <span className="tw-none">–</span>
  return (
    <span title={formats.decimal(value)} style={{ fontVariantNumeric: 'tabular-nums' }}>
      {moneyText(formats.tag, value)}
    </span>
  )
}

/** Rounded from the exact decimal: `Intl` takes texts as they are. */
export function moneyText(tag: string, value: string | number): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 }
  return new Intl.NumberFormat(tag, digits).format(String(value) as `${number}`)
}
