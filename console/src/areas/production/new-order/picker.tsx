import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import { useText } from '@/i18n'
import { sameCode } from '@/scan/resolve'
import { fieldPath } from '@/ui/fault-paths'
import { positionQuery, positionsQuery, productQuery } from '../queries'
import { choicesQuery } from './products'

interface PickerProps {
  readonly value: string | null
  readonly onChange: (key: string | null) => void
  readonly error: string | undefined
}

interface Option {
  readonly value: string
  readonly label: string
  readonly disabled?: boolean
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
  return { typed, setTyped, wanted, unchosen: typed === chosen?.label ? '' : typed.trim() }
}

interface Found {
  readonly _key: string
  readonly code: string
  /** False if it can't be chosen from the list. */
  readonly made?: boolean
}

/** What somebody means who types this and presses Enter: the one with the code, or the only one that can be chosen. */
export function meantBy(typed: string, found: readonly Found[]): Found | undefined {
  const choices = found.filter(({ made }) => made !== false)
  return found.find(({ code }) => sameCode(code, typed)) ?? (choices.length === 1 ? choices[0] : undefined)
}

interface EnterParts {
  /** What was typed and not chosen yet. */
  readonly typed: string
  readonly search: (text: string) => Promise<readonly Found[]>
  readonly onChange: (key: string) => void
}

/** Enter chooses what was typed, and sends no form whose field is still being filled in. */
function useEnter({ typed, search, onChange }: EnterParts) {
  const [open, setOpen] = useState(false)
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const highlighted = event.currentTarget.getAttribute('aria-activedescendant') !== null
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || highlighted || typed === '') return
    event.preventDefault()
    const choose = (found: readonly Found[]) => {
      const meant = meantBy(typed, found)
      setOpen(meant === undefined)
      if (meant) onChange(meant._key)
    }
    search(typed).then(choose, () => undefined)
  }
  return { onKeyDown, dropdownOpened: open, onDropdownOpen: () => setOpen(true), onDropdownClose: () => setOpen(false) }
}

function nameOf(product: { code: string; description: string | null }): string {
  return product.description ? `${product.code} – ${product.description}` : product.code
}

/** A product among others: its code stands out. What can't be made says so. */
function OptionLine({ label, unmade }: { label: string; unmade: boolean }) {
  const t = useText()
  const [code = '', ...words] = label.split(' – ')
  return (
    <span className="tw-new-order-option">
      <span className="tw-code">{code}</span>
      <span>{words.join(' – ')}</span>
      {unmade && <span className="tw-new-order-unmade">{t('production.new.product.unmade')}</span>}
    </span>
  )
}

/** Chooses a product by code or description. */
export function ProductPicker({ value, onChange, error }: PickerProps) {
  const t = useText()
  const record = useQuery({ ...productQuery(value ?? ''), enabled: value !== null })
  const chosen = value !== null && record.data ? { value, label: nameOf(record.data) } : undefined
  const client = useQueryClient()
  const { typed, setTyped, wanted, unchosen } = useTyped(chosen)
  const found = useQuery({ ...choicesQuery(wanted), placeholderData: keepPreviousData })
  const enter = useEnter({ typed: unchosen, search: (text) => client.fetchQuery(choicesQuery(text)), onChange })
  const options = (found.data ?? []).map((product) => ({
    value: product._key,
    label: nameOf(product),
    disabled: !product.made,
  }))
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
        renderOption={({ option }) => <OptionLine label={option.label} unmade={option.disabled === true} />}
        value={value}
        onChange={onChange}
        searchValue={typed}
        onSearchChange={setTyped}
        {...enter}
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
  const client = useQueryClient()
  const { typed, setTyped, wanted, unchosen } = useTyped(chosen)
  const found = useQuery({ ...positionsQuery(wanted), placeholderData: keepPreviousData })
  const enter = useEnter({ typed: unchosen, search: (text) => client.fetchQuery(positionsQuery(text)), onChange })
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
        {...enter}
        nothingFoundMessage={t('production.new.position.none', { text: typed })}
        error={error}
      />
    </div>
  )
}
