import type { Schemas } from '@/api'
import { useFormats, useText } from '@/i18n'
import { Icon } from '@/ui/icons'
import type { BomLine, FullProduct, Phase } from '../queries'

interface FlowProps {
  readonly phases: readonly Phase[]
  readonly lines: readonly BomLine[]
  readonly operations: readonly Schemas['OperationListed'][]
  readonly product: FullProduct
}

/** Where the text of a phase is on the page. */
export function anchorOf(phase: Phase): string {
  return `phase-${phase._key}`
}

/** The way of a unit from left to right: phases as nodes, components going in from above, the product coming out. */
export function Flow({ phases, lines, operations, product }: FlowProps) {
  const t = useText()
  return (
    <nav className="tw-flow" aria-label={t('product.process.graph')}>
      <ol>
        {phases.map((phase, at) => (
          <li key={phase._key}>
            <Inputs count={lines.filter(({ phase_key }) => phase_key === phase._key).length} />
            <Node phase={phase} number={at + 1} operations={operations} />
          </li>
        ))}
        <li className="tw-flow-end">
          <span className="tw-flow-in" />
          <span className="tw-flow-out">
            <Icon name="done" />
            {t('product.process.out')}
            <span className="tw-code">{product.code}</span>
          </span>
        </li>
      </ol>
    </nav>
  )
}

function Inputs({ count }: { count: number }) {
  const t = useText()
  return (
    <span className="tw-flow-in" data-some={count > 0 || undefined}>
      {count > 0 && t('product.process.in', { count })}
    </span>
  )
}

function Node({ phase, number, operations }: { phase: Phase; number: number } & Pick<FlowProps, 'operations'>) {
  const t = useText()
  const formats = useFormats()
  const fields = phase.steps.reduce((sum, step) => sum + step.form_fields.length, 0)
  const operation = operations.find(({ _key }) => _key === phase.operation_key)
  const go = () => document.getElementById(anchorOf(phase))?.focus()
  return (
    <a className="tw-flow-node" href={`#${anchorOf(phase)}`} onClick={go}>
      <span className="tw-flow-name">
        <b>{number}</b> {phase.alias}
      </span>
      <span className="tw-flow-about">
        {operation && operation.name !== phase.alias && <span>{operation.name}</span>}
        <span>
          {t('product.process.steps', { count: phase.steps.length })}
          {fields > 0 && `, ${t('product.process.forms', { count: fields })}`}
        </span>
        <span>
          {t('product.process.perUnit', { time: formats.duration(Number(phase.params.std_processing_time) * 1000) })}
        </span>
      </span>
    </a>
  )
}
