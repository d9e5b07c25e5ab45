import { Button, Menu, Popover, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useFormats, useText } from '@/i18n'
import { chips, type Filter, type FilterValues, removed } from './filter-values'
import { Icon } from './icons'
import './Filters.css'

export type { Filter, FilterValues } from './filter-values'

interface FiltersProps {
  /** What can be filtered, in the order offered. */
  readonly filters: readonly Filter[]
  /** The search params of the route. */
  readonly values: FilterValues
  /** Puts params into the address bar; undefined takes one out. */
  readonly onChange: (changes: FilterValues) => void
  /** The param that the search field fills; no field without it. */
  readonly search?: string
  readonly searchLabel?: string
}

/** Filters bound to the address bar: a search field, a chip for each filter that is set, and a menu that adds one. */
export function Filters({ filters, values, onChange, search, searchLabel }: FiltersProps) {
  const t = useText()
  const formats = useFormats()
  const [adding, setAdding] = useState<string>()
  const shown = chips(filters, values, { ...t2(t), date: formats.date })
  const free = filters.filter((filter) => !shown.some(({ id }) => id === filter.id))
  const clear = () => onChange(Object.assign({}, ...shown.map(({ filter }) => removed(filter))))
  return (
    <div className="tw-filters">
      {search !== undefined && (
        <SearchField
          label={searchLabel ?? t('ui.filter.search')}
          value={String(values[search] ?? '')}
          onChange={(text) => onChange({ [search]: text || undefined })}
        />
      )}
      {shown.map(({ id, filter, text }) => (
        <span className="tw-chip" key={id}>
          <Editor filter={filter} values={values} onChange={onChange} label={text} />
          <button
            type="button"
            aria-label={t('ui.filter.remove', { name: filter.label })}
            onClick={() => onChange(removed(filter))}
          >
            <Icon name="cross" size={12} />
          </button>
        </span>
      ))}
      {free.length > 0 && (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button variant="subtle" color="gray" size="compact-sm" leftSection={<Icon name="filter" size={14} />}>
              {t('ui.filter.add')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {free.map((filter) => (
              <Menu.Item
                key={filter.id}
                onClick={() => (filter.kind === 'flag' ? onChange({ [filter.id]: 'true' }) : setAdding(filter.id))}
              >
                {filter.label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {free
        .filter(({ id }) => id === adding)
        .map((filter) => (
          <span className="tw-chip" key={filter.id}>
            <Editor
              filter={filter}
              values={values}
              onChange={onChange}
              label={filter.label}
              opened
              onClose={() => setAdding(undefined)}
            />
          </span>
        ))}
      {shown.length > 1 && (
        <Button variant="subtle" color="gray" size="compact-sm" onClick={clear}>
          {t('ui.filter.clear')}
        </Button>
      )}
    </div>
  )
}

function t2(t: ReturnType<typeof useText>) {
  return { from: t('ui.filter.from'), to: t('ui.filter.to') }
}

/** Searches while one types, a little later, and at once with Enter. */
function SearchField(props: { label: string; value: string; onChange: (text: string) => void }) {
  const { label, value, onChange } = props
  const [text, setText] = useState(value)
  const sent = useRef(value)
  useEffect(() => {
    if (value !== sent.current) setText(value)
    sent.current = value
  }, [value])
  useEffect(() => {
    if (text === sent.current) return
    const timer = setTimeout(() => {
      sent.current = text
      onChange(text)
    }, 250)
    return () => clearTimeout(timer)
  }, [text, onChange])
  return (
    <TextInput
      className="tw-filter-search"
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" size={14} />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      type="search"
    />
  )
}

interface EditorProps {
  readonly filter: Filter
  readonly values: FilterValues
  readonly onChange: (changes: FilterValues) => void
  readonly label: string
  readonly opened?: boolean
  readonly onClose?: () => void
}

/** The chip of a filter, and what it opens. */
function Editor({ filter, values, onChange, label, opened = false, onClose }: EditorProps) {
  const [open, setOpen] = useState(opened)
  const close = () => {
    setOpen(false)
    onClose?.()
  }
  const apply = (changes: FilterValues) => {
    onChange(changes)
    close()
  }
  if (filter.kind === 'flag') return <span className="tw-chip-text">{label}</span>
  return (
    <Popover
      opened={open}
      onChange={(next) => (next ? setOpen(true) : close())}
      trapFocus
      returnFocus
      position="bottom-start"
    >
      <Popover.Target>
        <button type="button" className="tw-chip-text" onClick={() => (open ? close() : setOpen(true))}>
          {label}
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        {filter.kind === 'choice' && <ChoiceList filter={filter} values={values} onPick={apply} />}
        {filter.kind === 'text' && <TextForm filter={filter} values={values} onPick={apply} />}
        {filter.kind === 'dates' && <DatesForm filter={filter} values={values} onPick={apply} />}
      </Popover.Dropdown>
    </Popover>
  )
}

interface PartProps<F extends Filter> {
  readonly filter: F
  readonly values: FilterValues
  readonly onPick: (changes: FilterValues) => void
}

function ChoiceList({ filter, values, onPick }: PartProps<Extract<Filter, { kind: 'choice' }>>) {
  return (
    <div className="tw-filter-list">
      {filter.options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={values[filter.id] === option.value}
          onClick={() => onPick({ [filter.id]: option.value })}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}

function TextForm({ filter, values, onPick }: PartProps<Extract<Filter, { kind: 'text' }>>) {
  const t = useText()
  const [text, setText] = useState(String(values[filter.id] ?? ''))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onPick({ [filter.id]: text.trim() || undefined })
  }
  return (
    <form className="tw-filter-form" onSubmit={submit}>
      <TextInput
        label={filter.label}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        data-autofocus
      />
      <Button type="submit">{t('ui.filter.apply')}</Button>
    </form>
  )
}

function DatesForm({ filter, values, onPick }: PartProps<Extract<Filter, { kind: 'dates' }>>) {
  const t = useText()
  const [from, setFrom] = useState(String(values[filter.from] ?? ''))
  const [to, setTo] = useState(String(values[filter.to] ?? ''))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onPick({ [filter.from]: from || undefined, [filter.to]: to || undefined })
  }
  return (
    <form className="tw-filter-form" onSubmit={submit}>
      <TextInput
        type="date"
        label={`${filter.label} ${t('ui.filter.from')}`}
        value={from}
        onChange={(event) => setFrom(event.currentTarget.value)}
        data-autofocus
      />
      <TextInput
        type="date"
        label={`${filter.label} ${t('ui.filter.to')}`}
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
      />
      <Button type="submit">{t('ui.filter.apply')}</Button>
    </form>
  )
}
