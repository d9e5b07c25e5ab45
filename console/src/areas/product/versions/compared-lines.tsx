import { Checkbox } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useText } from '@/i18n'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { Quantity } from '@/ui/Quantity'
import { Section } from '@/ui/Section'
import { type BomLine, positionsQuery } from '../queries'
import { productPage } from '../tabs'
import { usePageSearch } from '../use-page-search'
import { KindMark } from './kind-mark'
import { type ComparedLine, compareLines, countKinds } from './lines'

interface ComparedLinesProps {
  readonly before: readonly BomLine[]
  readonly after: readonly BomLine[]
  readonly names: readonly [string, string]
}

/** Two bills of materials, line beside line. */
export function ComparedLines({ before, after, names }: ComparedLinesProps) {
  const t = useText()
  const [search, change] = usePageSearch()
  const rows = compareLines(before, after)
  const counts = countKinds(rows)
  const differs = counts.added + counts.removed + counts.changed > 0
  const all = search.all === 'true'
  const shown = all ? rows : rows.filter(({ kind }) => kind !== 'same')
  return (
    <Section
      title={t('product.versions.lines')}
      actions={
        <Checkbox
          label={t('product.versions.all')}
          checked={all}
          onChange={(event) => change({ all: event.currentTarget.checked ? 'true' : undefined })}
        />
      }
    >
      <p className="tw-product-note">
        {differs ? t('product.versions.summary', counts) : t('product.versions.summary.none')}
      </p>
      {shown.length > 0 && <Table rows={shown} names={names} />}
    </Section>
  )
}

function Table({ rows, names }: { rows: readonly ComparedLine[]; names: ComparedLinesProps['names'] }) {
  const t = useText()
  return (
    <div className="tw-compare-scroll">
      <table className="tw-compare" aria-label={t('product.versions.lines.label')}>
        <colgroup>
          <col style={{ width: '14%' }} />
          <col style={{ width: '32%' }} />
          <col style={{ width: '11%' }} />
          <col style={{ width: '16%' }} />
          <col style={{ width: '11%' }} />
          <col style={{ width: '16%' }} />
        </colgroup>
        <thead>
          <tr>
            <th scope="col" rowSpan={2}>
              {t('product.versions.change')}
            </th>
            <th scope="col" rowSpan={2}>
              {t('product.bom.component')}
            </th>
            {names.map((name, at) => (
              <th key={name} scope="colgroup" colSpan={2} className={at === 0 ? 'tw-compare-old' : 'tw-compare-new'}>
                {name}
              </th>
            ))}
          </tr>
          <tr>
            {names.map((name) => (
              <Heads key={name} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Line key={row.id} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Heads() {
  const t = useText()
  return (
    <>
      <th scope="col" data-numeric>
        {t('product.versions.field.qt')}
      </th>
      <th scope="col">{t('product.versions.field.phase')}</th>
    </>
  )
}

function Line({ row }: { row: ComparedLine }) {
  const line = row.after ?? row.before
  return (
    <tr data-kind={row.kind}>
      <td>
        <KindMark kind={row.kind} />
      </td>
      <th scope="row">
        {line && (
          <>
            <Code bare to={productPage(line.component_key)}>
              {line.component_code}
            </Code>{' '}
            <span className="tw-compare-about">{line.component_description}</span>
          </>
        )}
      </th>
      <Cells line={row.before} row={row} />
      <Cells line={row.after} row={row} />
    </tr>
  )
}

function Cells({ line, row }: { line: BomLine | null; row: ComparedLine }) {
  const t = useText()
  if (line === null) {
    return (
      <td colSpan={2} className="tw-compare-absent">
        {t('product.versions.absent')}
      </td>
    )
  }
  return (
    <>
      <td data-numeric data-differs={row.aspects.includes('qt') || undefined}>
        <Quantity value={line.qt} />
      </td>
      <td data-differs={row.aspects.includes('phase') || undefined}>
        {line.phase_name}
        {row.aspects.includes('options') && <Options line={line} />}
      </td>
    </>
  )
}

/** Where a line is taken from. */
function Options({ line }: { line: BomLine }) {
  const t = useText()
  const { can } = useSession()
  const { consumption_position_key: key, consumption_position_mandatory: only } = line.consumption_options
  const keys = key === null ? [] : [key]
  const positions = useQuery({ ...positionsQuery(keys), enabled: key !== null && can('inventory:position:read') })
  const position = positions.data?.[0]?.code ?? t('product.bom.options.usual')
  return (
    <div className="tw-compare-about">{t(only ? 'product.bom.options.only' : 'product.bom.options', { position })}</div>
  )
}
