import type { Schemas } from '@/api'
import { isZero } from '@/api/decimal'
import { type Formats, type Text, useFormats, useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { type Fact, Facts } from '@/ui/Facts'
import { Markdown } from '@/ui/markdown/Markdown'
import { Quantity } from '@/ui/Quantity'
import type { BomLine, Phase } from '../queries'
import { productPage } from '../tabs'
import type { Units } from '../units'
import { anchorOf } from './flow'
import { StepText } from './step-text'

interface PhaseTextProps {
  readonly phase: Phase
  readonly number: number
  readonly operation: Schemas['OperationListed'] | undefined
  readonly lines: readonly BomLine[]
  readonly units: Units
}

/** A phase to read: its rules, its components, its steps. */
export function PhaseText({ phase, number, operation, lines, units }: PhaseTextProps) {
  const t = useText()
  const formats = useFormats()
  const id = anchorOf(phase)
  return (
    <section className="tw-phase" aria-labelledby={`${id}-name`}>
      <h2 id={id} tabIndex={-1}>
        <span className="tw-phase-number">{number}</span>
        <span id={`${id}-name`}>{phase.alias}</span>
      </h2>
      <Facts look="line" facts={rules(t, formats, phase, operation)} />
      {phase.production_notes && <Markdown text={phase.production_notes} />}
      {lines.length > 0 && <Components lines={lines} units={units} />}
      {phase.steps.length === 0 ? (
        <p className="tw-product-note">{t('product.process.noSteps')}</p>
      ) : (
        <ol className="tw-steps">
          {phase.steps.map((step, at) => (
            <StepText key={step._key} step={step} number={at + 1} />
          ))}
        </ol>
      )}
    </section>
  )
}

/** The rules that differ from what everybody expects, and those that one always asks for. */
function rules(t: Text, formats: Formats, phase: Phase, operation: PhaseTextProps['operation']): Fact[] {
  const { params, steps } = phase
  const span = (seconds: number | string) => formats.duration(Number(seconds) * 1000)
  const check = params.step_check_force_order ? 'order' : 'any'
  return [
    {
      label: t('product.process.operation'),
      value: operation && (
        <>
          {operation.name} {operation.code && <Code bare>{operation.code}</Code>}
        </>
      ),
    },
    { label: t('product.process.time'), value: span(params.std_processing_time) },
    {
      label: t('product.process.batch'),
      value: isZero(params.production_batch_qt) ? (
        t('product.process.batch.all')
      ) : (
        <Quantity value={params.production_batch_qt} />
      ),
    },
    {
      label: t('product.process.check'),
      value: steps.length > 0 && t(`product.process.check.${params.step_check ? check : 'none'}`),
    },
    { label: t('product.process.next'), value: t(`product.process.next.${params.auto_new_batch ? 'auto' : 'hand'}`) },
    { label: t('product.process.parallel'), value: !params.parallel_job_allowed && t('product.process.parallel.one') },
    {
      label: t('product.process.unsupervised'),
      value: params.unsupervised_work_allowed && t('product.process.unsupervised.yes'),
    },
    {
      label: t('product.process.offline'),
      value: isZero(params.max_offline)
        ? t('product.process.offline.never')
        : t('product.process.offline.after', { time: span(params.max_offline) }),
    },
  ]
}

function Components({ lines, units }: Pick<PhaseTextProps, 'lines' | 'units'>) {
  const t = useText()
  return (
    <div className="tw-phase-parts">
      <h3>{t('product.process.components')}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line.bom_line_key}>
            <Quantity value={line.qt} unit={units.get(line.component_key)} /> ×{' '}
            <Code bare to={productPage(line.component_key)}>
              {line.component_code}
            </Code>{' '}
            {line.component_description}
          </li>
        ))}
      </ul>
    </div>
  )
}
