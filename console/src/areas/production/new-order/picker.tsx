import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useText } from '@/i18n'
import { fieldPath } from '@/ui/fault-paths'
import { positionQuery, positionsQuery, productQuery, productsQuery } from '../queries'

interface PickerProps {
  readonly value: string | null
  readonly onChange: (key: string | null) => void
  readonly error: string | undefined
}

interface Option {
  readonly value: string
  readonly label: string
}

/** What is chosen stays among the options, whatever is searched for. */
export function withChosen(found: readonly Option[], chosen: Option | undefined): Option[] {
  return chosen === undefined || found.some(({ value }) => value === chosen.value) ? [...found] : [chosen, ...found]
}

/** Searches while one types, but not for what was just chosen. */
function useTyped(chosen: Option | undefined) {
  const [typed, setTyped] = useState('')
  const [later] = useDebouncedValue(typed, 200)
  const wanted = later === chosen?.label ? '' : later.trim()
  return { typed, setTyped, wanted }
}

function nameOf(product: { code: string; description: string | null }): string {
  return product.description ? `${product.code} – ${product.description}` : product.code
}

/** A product among others: its code stands out. */
function OptionLine({ label }: { label: string }) {
  const [code = '', ...words] = label.split(' – ')
  return (
    <span className="tw-new-order-option">
      <span className="tw-code">{code}</span>
      <span>{words.join(' – ')}</span>
    </span>
  )
}

/** Chooses a product by code or description. */
export function ProductPicker({ value, onChange, error }: PickerProps) {
  const t = useText()
  const record = useQuery({ ...productQuery(value ?? ''), enabled: value !== null })
  const chosen = value !== null && record.data ? { value, label: nameOf(record.data) } : undefined
  const { typed, setTyped, wanted } = useTyped(chosen)
  const found = useQuery({ ...productsQuery(wanted), placeholderData: keepPreviousData })
  const options = (found.data ?? []).map((product) => ({ value: product._key, label: nameOf(product) }))
  return (
    <div {...fieldPath('product_key')}>
      <Select
        label={t('production.new.product')}
        placeholder={t('production.new.product.find')}
        withAsterisk
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('ui.form.clear') }}
        data={withChosen(options, chosen)}
        filter={({ options: all }) => all}
        renderOption={({ option }) => <OptionLine label={option.label} />}
        value={value}
        onChange={onChange}
        searchValue={typed}
        onSearchChange={setTyped}
        nothingFoundMessage={found.isPending ? t('ui.loading') : t('production.new.product.none', { text: typed })}
        error={error}
        data-autofocus={value === null || undefined}
      />
    </div>
  )
}

/** Chooses a position by its code. `path` is what the service calls the field. */
export function PositionPicker({ value, onChange, error, path }: PickerProps & { readonly path: string }) {
  const t = useText()
  const record = useQuery({ ...positionQuery(value ?? ''), enabled: value !== null })
  const chosen = value !== null && record.data ? { value, label: record.data.position.code } : undefined
  const { typed, setTyped, wanted } = useTyped(chosen)
  const found = useQuery({ ...positionsQuery(wanted), placeholderData: keepPreviousData })
  const options = (found.data ?? []).map((position) => ({ value: position._key, label: position.code }))
  return (
    <div {...fieldPath(path)}>
      <Select
        label={t('production.new.position')}
        placeholder={t('production.new.position.usual')}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('ui.form.clear') }}
        data={withChosen(options, chosen)}
        filter={({ options: all }) => all}
        value={value}
        onChange={onChange}
        searchValue={typed}
        onSearchChange={setTyped}
        nothingFoundMessage={t('production.new.position.none', { text: typed })}
        error={error}
      />
    </div>
  )
}
