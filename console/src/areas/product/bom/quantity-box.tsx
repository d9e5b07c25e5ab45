import { TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import { parse, separatorsOf } from '@/api/decimal'
import { useFormats, useText } from '@/i18n'
import { quantityText } from '../tabs'

interface QuantityBoxProps {
  /** A plain decimal. */
  readonly value: string
  readonly unit: string
  readonly onChange: (value: string) => void
}

/** A quantity above zero, typed as the language writes it and kept exactly. */
export function QuantityBox({ value, unit, onChange }: QuantityBoxProps) {
  const t = useText()
  const formats = useFormats()
  const shown = formats.decimal(value)
  const [typed, setTyped] = useState(shown)
  useEffect(() => setTyped(shown), [shown])
  const read = quantityText(parse(typed, separatorsOf(formats.tag)) ?? undefined)
  const apply = () => {
    if (read !== undefined && read !== value) onChange(read)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <TextInput
        label={t('product.bom.qt')}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={apply}
        error={read === undefined ? t('product.bom.qt.wrong') : undefined}
        inputMode="decimal"
        rightSection={unit === '' ? undefined : <span className="tw-none">{unit}</span>}
        w={150}
      />
    </form>
  )
}
