import { TextInput } from '@mantine/core'
import { add, compare, isDecimal, parse, separatorsOf, subtract } from '@/api/decimal'
import { useFormats, useText } from '@/i18n'
import { Icon } from '@/ui/icons'

interface AmountProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: string | undefined
  readonly hint?: string
}

/** The number that was typed, as plain text; null if it is none. */
export function useAmount(value: string): string | null {
  const { tag } = useFormats()
  const read = parse(value, separatorsOf(tag))
  return read !== null && isDecimal(read) ? read : null
}

/** A number for gloves: type it, or tap one more or one less. */
export function Amount({ label, value, onChange, error, hint }: AmountProps) {
  const t = useText()
  const formats = useFormats()
  const read = useAmount(value)
  const put = (next: string) => onChange(formats.decimal(next))
  const less = () => read !== null && compare(read, 1) > 0 && put(subtract(read, 1))
  return (
    <div className="pn-amount">
      <TextInput
        label={label}
        description={hint}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={error}
        inputMode="decimal"
        autoComplete="off"
      />
      <button type="button" aria-label={t('panel.less')} onClick={less}>
        <Icon name="minus" size={26} />
      </button>
      <button type="button" aria-label={t('panel.more')} onClick={() => put(add(read ?? 0, 1))}>
        <Icon name="plus" size={26} />
      </button>
    </div>
  )
}
