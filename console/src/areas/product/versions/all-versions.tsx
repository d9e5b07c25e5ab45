import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useText } from '@/i18n'
import { fullName, useSession } from '@/session'
import { type Column, DataTable } from '@/ui/DataTable'
import { Moment } from '@/ui/Moment'
import { Quantity } from '@/ui/Quantity'
import { Section } from '@/ui/Section'
import { type BomVersion, peopleQuery } from '../queries'
import { usePageSearch } from '../use-page-search'

const rowKey = (row: BomVersion) => String(row.version)

/** Every version; a click puts it on the left side of the comparison. */
export function AllVersions({ versions, current }: { versions: readonly BomVersion[]; current: number }) {
  const t = useText()
  const { can } = useSession()
  const [, change] = usePageSearch()
  const people = useQuery({ ...peopleQuery, enabled: can('org:user:read') })
  const columns = useMemo<Column<BomVersion>[]>(() => {
    const who = (key: string | null) => {
      const person = people.data?.find(({ _key }) => _key === key)
      return person === undefined ? null : fullName(person)
    }
    return [
      {
        id: 'version',
        head: t('product.versions.col.version'),
        text: (row) => row.version,
        cell: (row) =>
          t(row.version === current ? 'product.versions.now' : 'product.versions.version', { number: row.version }),
        fixed: true,
      },
      {
        id: 'lines',
        head: t('product.versions.col.lines'),
        text: (row) => row.line_count,
        cell: (row) => <Quantity value={row.line_count} />,
        numeric: true,
        width: 70,
      },
      {
        id: 'when',
        head: t('product.versions.col.when'),
        text: (row) => row.created,
        cell: (row) => <Moment at={row.created} as="dateTime" />,
        width: 170,
      },
      { id: 'by', head: t('product.versions.col.by'), text: (row) => who(row.created_by), width: 150 },
      {
        id: 'source',
        head: t('product.versions.col.source'),
        text: (row) => t(`product.versions.source.${row.source}`),
        width: 150,
      },
    ]
  }, [t, current, people.data])
  return (
    <Section title={t('product.versions.list')} count={versions.length}>
      <DataTable
        name="bom-versions"
        label={t('product.versions.list.label')}
        columns={columns}
        rowKey={rowKey}
        rows={versions}
        onOpen={(row) => change({ from: String(row.version), to: undefined, with: undefined })}
        height={420}
        plain
      />
    </Section>
  )
}
