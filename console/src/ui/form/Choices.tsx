import { MultiSelect, type OptionsFilter, Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api, bare } from '@/api'
import { useText } from '@/i18n'
import { type InputProps, Labelled, LabelText, More } from './Inputs'
import { type Choice, choicesIn } from './values'

/** Up to so many values are shown at once; more are searched for. */
const AT_ONCE = 8
const FETCHED = 100

/** The server has filtered already. */
const asFound: OptionsFilter = ({ options }) => options

/** Values of a choice list; `search` asks the server once there are more than fit. */
function useChoices(customKey: string, search: string) {
  return useQuery({
    queryKey: ['list', customKey, search],
    queryFn: ({ signal }) => {
      const query = { field_key: customKey, limit: FETCHED, ...(search === '' ? {} : { search }) }
      return bare(api.GET('/list', { params: { query }, signal }))
    },
    select: (rows): Choice[] => rows.map(({ _key, value }) => ({ _key, value })),
  })
}

/** One value of a list, or several: as buttons if they are few, else by searching. */
export function ChoiceAnswer(props: InputProps) {
  const first = useChoices(props.field.customKey, '')
  const few = first.data !== undefined && first.data.length <= AT_ONCE
  if (few) return <ButtonChoice {...props} values={withChosen(first.data, choicesIn(props.draft))} />
  return <SearchedChoice {...props} />
}

/** A chosen value that has left the list stays visible. */
function withChosen(values: readonly Choice[], chosen: readonly Choice[]): Choice[] {
  const gone = chosen.filter(({ _key }) => !values.some((value) => value._key === _key))
  return [...values, ...gone]
}

function ButtonChoice({
  field,
  draft,
  onChange,
  error,
  focused = false,
  values,
}: InputProps & { values: readonly Choice[] }) {
  const name = useId()
  const chosen = choicesIn(draft)
  const has = (choice: Choice) => chosen.some(({ _key }) => _key === choice._key)
  const pick = (choice: Choice) => {
    if (!field.multiple) return onChange(choice)
    onChange(has(choice) ? chosen.filter(({ _key }) => _key !== choice._key) : [...chosen, choice])
  }
  return (
    <fieldset className="tw-form-field tw-form-choices" aria-describedby={`${name}-more`}>
      <legend>
        <LabelText field={field} />
      </legend>
      <div className="tw-form-options">
        {values.map((choice, at) => (
          <label key={choice._key} className="tw-form-option">
            <input
              type={field.multiple ? 'checkbox' : 'radio'}
              name={name}
              checked={has(choice)}
              onChange={() => pick(choice)}
              data-autofocus={(focused && at === 0) || undefined}
            />
            <span>{choice.value}</span>
          </label>
        ))}
      </div>
      <More field={field} error={error} id={`${name}-more`} />
    </fieldset>
  )
}

function SearchedChoice({ field, draft, onChange, error, focused = false }: InputProps) {
  const t = useText()
  const id = useId()
  const [text, setText] = useState('')
  const [search] = useDebouncedValue(text.trim(), 150)
  const chosen = choicesIn(draft)
  const typedChosen = chosen.some(({ value }) => value === search)
  const { data = [], isPending } = useChoices(field.customKey, typedChosen ? '' : search)
  const values = withChosen(data, chosen)
  const options = values.map(({ _key, value }) => ({ value: _key, label: value }))
  const byKey = (key: string) => values.filter(({ _key }) => _key === key)
  const shared = {
    id,
    data: options,
    searchable: true,
    onSearchChange: setText,
    error: error !== undefined,
    'aria-describedby': `${id}-more`,
    'aria-required': field.mandatory,
    'data-autofocus': focused || undefined,
    placeholder: t('ui.form.choose'),
    nothingFoundMessage: isPending ? t('ui.loading') : t('ui.form.choices.none', { text }),
    clearButtonProps: { 'aria-label': t('ui.form.clear') },
    clearable: true,
    filter: asFound,
  }
  return (
    <Labelled field={field} error={error} id={id}>
      {field.multiple ? (
        <MultiSelect
          {...shared}
          value={chosen.map(({ _key }) => _key)}
          onChange={(keys) => onChange(keys.flatMap(byKey))}
        />
      ) : (
        <Select
          {...shared}
          value={chosen[0]?._key ?? null}
          onChange={(key) => onChange(key === null ? null : (byKey(key)[0] ?? null))}
        />
      )}
    </Labelled>
  )
}
