import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useText } from '@/i18n'
import type { Finding } from './queries'

interface PickOneProps {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
  /** The options for what was typed. */
  readonly find: (words: string) => Finding
  /** The name of the value, if it is not among the options. */
  readonly name?: string | undefined
}

/** One thing of many, found by typing. */
export function PickOne({ label, value, onChange, find, name }: PickOneProps) {
  const t = useText()
  const [text, setText] = useState('')
  const [words] = useDebouncedValue(text, 200)
  const options = useQuery({ ...find(words), placeholderData: keepPreviousData })
  const found = options.data ?? []
  const missing = value !== undefined && !found.some((option) => option.value === value)
  const data = missing ? [{ value, label: name ?? '…' }, ...found] : found
  return (
    <Select
      label={label}
      placeholder={t('trace.recall.pick.hint')}
      data={[...data]}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      searchable
      clearable
      onSearchChange={setText}
      // The service has searched already.
      filter={({ options: all }) => all}
      nothingFoundMessage={t('trace.recall.pick.none')}
      comboboxProps={{ withinPortal: true }}
    />
  )
}
