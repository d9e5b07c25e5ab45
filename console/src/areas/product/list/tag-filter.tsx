import { Button, Checkbox, Popover } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useText } from '@/i18n'
import { Icon } from '@/ui/icons'
import { Lines } from '@/ui/Skeletons'
import { TagDot } from '../marks'
import { type Tag, tagsQuery } from '../queries'
import { type ListSearch, toggled } from './search'

interface TagFilterProps {
  readonly search: ListSearch
  readonly onChange: (change: Partial<ListSearch>) => void
}

/** Tags to have and tags not to have, and a chip for each that is chosen. */
export function TagFilter({ search, onChange }: TagFilterProps) {
  const t = useText()
  const tags = useQuery(tagsQuery)
  const nameOf = (key: string) => tags.data?.find(({ _key }) => _key === key)?.name ?? key
  const chip = (list: 'tag' | 'without', key: string) => {
    const name = nameOf(key)
    const text = list === 'tag' ? t('product.filter.chip.tag', { name }) : t('product.filter.chip.without', { name })
    return (
      <span className="tw-chip" key={`${list}-${key}`}>
        <span className="tw-chip-text">{text}</span>
        <button
          type="button"
          aria-label={t('product.filter.chip.remove', { name: text })}
          onClick={() => onChange({ [list]: toggled(search[list], key) })}
        >
          <Icon name="cross" size={12} />
        </button>
      </span>
    )
  }
  return (
    <>
      {search.tag?.map((key) => chip('tag', key))}
      {search.without?.map((key) => chip('without', key))}
      <Popover position="bottom-start" trapFocus returnFocus>
        <Popover.Target>
          <Button variant="subtle" color="gray" size="compact-sm" leftSection={<Icon name="tag" size={14} />}>
            {t('product.filter.tags')}
          </Button>
        </Popover.Target>
        <Popover.Dropdown>
          {tags.isPending && <Lines count={3} />}
          {tags.data?.length === 0 && t('product.filter.tags.none')}
          {tags.data !== undefined && tags.data.length > 0 && (
            <Choice tags={tags.data} search={search} onChange={onChange} />
          )}
        </Popover.Dropdown>
      </Popover>
    </>
  )
}

function Choice({ tags, search, onChange }: TagFilterProps & { tags: readonly Tag[] }) {
  const t = useText()
  const several = (search.tag?.length ?? 0) > 1
  return (
    <div className="tw-tag-choice">
      <table>
        <thead>
          <tr>
            <th scope="col">{t('product.filter.tags')}</th>
            <th scope="col">{t('product.filter.tags.with')}</th>
            <th scope="col">{t('product.filter.tags.without')}</th>
          </tr>
        </thead>
        <tbody>
          {tags.map(({ _key, name, color }) => (
            <tr key={_key}>
              <th scope="row">
                <span className="tw-tag">
                  <TagDot color={color} />
                  {name}
                </span>
              </th>
              <td>
                <Checkbox
                  aria-label={`${t('product.filter.tags.with')} ${name}`}
                  checked={search.tag?.includes(_key) ?? false}
                  onChange={() => onChange({ tag: toggled(search.tag, _key) })}
                />
              </td>
              <td>
                <Checkbox
                  aria-label={`${t('product.filter.tags.without')} ${name}`}
                  checked={search.without?.includes(_key) ?? false}
                  onChange={() => onChange({ without: toggled(search.without, _key) })}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {several && (
        <Checkbox
          label={t('product.filter.tags.any')}
          checked={search.tags === 'any'}
          onChange={(event) => onChange({ tags: event.currentTarget.checked ? 'any' : undefined })}
        />
      )}
    </div>
  )
}
