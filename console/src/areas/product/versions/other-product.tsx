import { Button, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useText } from '@/i18n'
import { listQuery } from '../list/search'
import { type FullProduct, fetchProducts, productQuery } from '../queries'

interface OtherProductProps {
  readonly product: FullProduct
  readonly value: string | undefined
  readonly onChange: (key: string | undefined) => void
}

/** Finds another product to compare with: often a variant, or the copy that follows it. */
export function OtherProduct({ product, value, onChange }: OtherProductProps) {
  const t = useText()
  const [typed, setTyped] = useState('')
  const [words] = useDebouncedValue(typed, 200)
  const chosen = useQuery({ ...productQuery(value ?? ''), enabled: value !== undefined })
  const found = useQuery({
    queryKey: ['product', 'choice', words],
    queryFn: ({ signal }) =>
      fetchProducts(listQuery({ q: words, inactive: true }))({ limit: 20, offset: 0, count: false, signal }),
    placeholderData: keepPreviousData,
  })
  const options = [...(chosen.data ? [chosen.data] : []), ...(found.data?.rows ?? [])]
    .filter(({ _key }) => _key !== product._key)
    .map(({ _key, code, description }) => ({ value: _key, label: description ? `${code} – ${description}` : code }))
  const distinct = [...new Map(options.map((option) => [option.value, option])).values()]
  return (
    <>
      <Select
        label={t(value === undefined ? 'product.versions.with' : 'product.versions.with.now')}
        placeholder={t('product.versions.with.search')}
        data={distinct}
        value={value ?? null}
        onChange={(key) => onChange(key ?? undefined)}
        onSearchChange={setTyped}
        filter={({ options: all }) => all}
        nothingFoundMessage={t('product.versions.with.none')}
        searchable
        w={300}
      />
      {value !== undefined && (
        <Button variant="subtle" color="gray" onClick={() => onChange(undefined)}>
          {t('product.versions.with.clear')}
        </Button>
      )}
    </>
  )
}
