/** What can be filtered. The ids (and `from`, `to`) are search params of the route. */
export type Filter =
  | { readonly kind: 'text'; readonly id: string; readonly label: string }
  | { readonly kind: 'flag'; readonly id: string; readonly label: string }
  | {
      readonly kind: 'choice'
      readonly id: string
      readonly label: string
      readonly options: readonly { readonly value: string; readonly label: string }[]
    }
  | { readonly kind: 'dates'; readonly id: string; readonly label: string; readonly from: string; readonly to: string }

export type FilterValues = Readonly<Record<string, string | true | undefined>>

interface Words {
  readonly from: string
  readonly to: string
  readonly date: (value: string) => string
}

export interface Chip {
  readonly id: string
  readonly filter: Filter
  readonly text: string
}

function chipText(filter: Filter, values: FilterValues, words: Words): string | undefined {
  if (filter.kind === 'dates') {
    const from = values[filter.from]
    const to = values[filter.to]
    const parts = [
      typeof from === 'string' && from !== '' ? `${words.from} ${words.date(from)}` : '',
      typeof to === 'string' && to !== '' ? `${words.to} ${words.date(to)}` : '',
    ].filter((part) => part !== '')
    return parts.length === 0 ? undefined : `${filter.label} ${parts.join(' ')}`
  }
  const value = values[filter.id]
  if (value === undefined || value === '') return undefined
  if (filter.kind === 'flag') return filter.label
  const option = filter.kind === 'choice' ? filter.options.find((one) => one.value === value)?.label : undefined
  return `${filter.label}: ${option ?? value}`
}

/** A chip for each filter that is set. */
export function chips(filters: readonly Filter[], values: FilterValues, words: Words): Chip[] {
  return filters.flatMap((filter) => {
    const text = chipText(filter, values, words)
    return text === undefined ? [] : [{ id: filter.id, filter, text }]
  })
}

/** The params that take a filter out. */
export function removed(filter: Filter): FilterValues {
  return filter.kind === 'dates' ? { [filter.from]: undefined, [filter.to]: undefined } : { [filter.id]: undefined }
}
