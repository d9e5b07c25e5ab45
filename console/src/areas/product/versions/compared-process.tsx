import { useQuery } from '@tanstack/react-query'
import { type Formats, type Text, useFormats, useText } from '@/i18n'
import { labelOf } from '@/ui/form/values'
import { type FormField, operationsQuery } from '../queries'
import { KindMark } from './kind-mark'
import { type Aspect, type AspectName, type ComparedPart, compareProcesses, type PhaseView } from './process'

const ASPECTS = {
  name: 'product.process.title',
  operation: 'product.versions.field.operation',
  notes: 'product.versions.field.notes',
  place: 'product.versions.field.place',
  text: 'product.versions.field.text',
  fields: 'product.versions.field.fields',
  media: 'product.versions.field.media',
  parallel_job_allowed: 'product.process.parallel',
  step_check: 'product.process.check',
  step_check_force_order: 'product.process.check',
  production_batch_qt: 'product.process.batch',
  auto_new_batch: 'product.process.next',
  max_offline: 'product.process.offline',
  std_processing_time: 'product.process.time',
  unsupervised_work_allowed: 'product.process.unsupervised',
  display_job_timer: 'product.process.timer',
} as const satisfies Record<AspectName, string>

interface ComparedProcessProps {
  readonly before: readonly PhaseView[]
  readonly after: readonly PhaseView[]
  readonly names: readonly [string, string]
}

/** Two processes: phases and steps that differ, with what differs in each. */
export function ComparedProcess({ before, after, names }: ComparedProcessProps) {
  const t = useText()
  const parts = compareProcesses(before, after)
  const shown = parts.filter(({ kind }) => kind !== 'same')
  if (shown.length === 0) return <p className="tw-product-note">{t('product.versions.same')}</p>
  return (
    <div className="tw-compare-scroll">
      <table className="tw-compare" aria-label={t('product.versions.process.label')}>
        <colgroup>
          <col style={{ width: '15%' }} />
          <col style={{ width: '24%' }} />
          <col style={{ width: '15%' }} />
          <col />
          <col />
        </colgroup>
        <thead>
          <tr>
            <th scope="col">{t('product.versions.change')}</th>
            <th scope="col">{t('product.bom.phase')}</th>
            <th scope="col">{t('product.versions.what')}</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((part) => (
            <PartRows key={part.id} part={part} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function PartRows({ part }: { part: ComparedPart }) {
  const rows = part.aspects.length === 0 ? [null] : part.aspects
  return rows.map((aspect, at) => (
    <tr key={aspect?.name ?? 'whole'} data-part={part.kind}>
      {at === 0 && (
        <>
          <td rowSpan={rows.length}>
            <KindMark kind={part.kind} />
          </td>
          <th scope="rowgroup" rowSpan={rows.length}>
            {part.of === 'phase' ? (
              part.title
            ) : (
              <>
                <span className="tw-compare-about">{part.phase} › </span>
                {part.title}
              </>
            )}
          </th>
        </>
      )}
      {aspect === null ? <td colSpan={3} /> : <AspectCells aspect={aspect} />}
    </tr>
  ))
}

function AspectCells({ aspect }: { aspect: Aspect }) {
  const t = useText()
  const say = useAspectText()
  return (
    <>
      <td data-inner>{t(ASPECTS[aspect.name])}</td>
      <td className="tw-compare-text">{say(aspect.name, aspect.before)}</td>
      <td className="tw-compare-text">{say(aspect.name, aspect.after)}</td>
    </>
  )
}

function useAspectText(): (name: AspectName, value: unknown) => string {
  const t = useText()
  const formats = useFormats()
  const operations = useQuery(operationsQuery)
  return (name, value) => {
    if (name === 'operation') return operations.data?.find(({ _key }) => _key === value)?.name ?? '–'
    return aspectText(t, formats, name, value)
  }
}

function aspectText(t: Text, formats: Formats, name: AspectName, value: unknown): string {
  if (value === null || value === undefined || value === '') return '–'
  if (name === 'fields') return formText(t, value as FormField[])
  if (Array.isArray(value)) return value.length === 0 ? '–' : value.join('\n')
  if (typeof value === 'boolean') return value ? t('ui.yes') : t('ui.no')
  if (name === 'max_offline' || name === 'std_processing_time') return formats.duration(Number(value) * 1000)
  return typeof value === 'number' ? formats.decimal(value) : String(value)
}

function formText(t: Text, fields: readonly FormField[]): string {
  const one = (field: FormField) => {
    const rule = field.mandatory ? `, ${t('product.process.field.mandatory')}` : ''
    return `${labelOf(field)} (${t(`product.kind.${field.type}`)}${rule})`
  }
  return fields.length === 0 ? '–' : fields.map(one).join('\n')
}
