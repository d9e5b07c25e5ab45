import { Select } from '@mantine/core'
import { useFormats, useText } from '@/i18n'
import type { BomVersion } from '../queries'
import type { PageSearch } from '../tabs'
import type { Sides } from './sides'

interface VersionChoiceProps {
  readonly versions: readonly BomVersion[]
  readonly current: number
  readonly sides: Sides
  readonly onChange: (change: Partial<PageSearch>) => void
}

/** Which two versions stand side by side. */
export function VersionChoice({ versions, current, sides, onChange }: VersionChoiceProps) {
  const t = useText()
  const formats = useFormats()
  const data = versions.map(({ version, created }) => {
    const name = t(version === current ? 'product.versions.now' : 'product.versions.version', { number: version })
    return { value: String(version), label: `${name}, ${formats.date(created)}` }
  })
  return (
    <>
      <Select
        label={t('product.versions.from')}
        data={data.filter(({ value }) => value !== String(sides.to))}
        value={String(sides.from)}
        onChange={(value) => onChange({ from: value ?? undefined, to: String(sides.to) })}
        allowDeselect={false}
        w={270}
      />
      <Select
        label={t('product.versions.to')}
        data={data.filter(({ value }) => value !== String(sides.from))}
        value={String(sides.to)}
        onChange={(value) => onChange({ to: value ?? undefined, from: String(sides.from) })}
        allowDeselect={false}
        w={270}
      />
    </>
  )
}
