import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { add } from '@/api/decimal'
import { useFormats, useText } from '@/i18n'
import { useSession } from '@/session'
import { Empty } from '@/ui/Empty'
import { LoadFailed } from '@/ui/LoadFailed'
import { Lines } from '@/ui/Skeletons'
import type { PartProps } from '../part'
import { bomQuery, operationsQuery, processQuery } from '../queries'
import { useUnits } from '../units'
import { Flow } from './flow'
import { PhaseText } from './phase-text'
import './process.css'

/** How it is made: the phases as a small graph, then each with its steps, pictures and forms. */
export function ProcessTab({ product }: PartProps) {
  const t = useText()
  const formats = useFormats()
  const { can } = useSession()
  const [process, operations, bom] = useQueries({
    queries: [
      processQuery(product._key),
      operationsQuery,
      { ...bomQuery(product._key), enabled: can('product:bom:read') },
    ],
  })
  const units = useUnits(useMemo(() => (bom.data ?? []).map(({ component_key }) => component_key), [bom.data]))
  if (process.isPending) return <Lines count={8} />
  if (process.data === undefined) return <LoadFailed error={process.error} onRetry={() => process.refetch()} />
  const phases = process.data
  if (phases.length === 0) {
    return (
      <Empty icon="plan" title={t('product.process.none')}>
        {t('product.process.none.text')}
      </Empty>
    )
  }
  const lines = bom.data ?? []
  const seconds = add(...phases.map(({ params }) => params.std_processing_time))
  return (
    <>
      <Flow phases={phases} lines={lines} operations={operations.data ?? []} product={product} />
      <p className="tw-product-note">
        {t('product.process.total', { time: formats.duration(Number(seconds) * 1000) })}
      </p>
      {phases.map((phase, at) => (
        <PhaseText
          key={phase._key}
          phase={phase}
          number={at + 1}
          operation={operations.data?.find(({ _key }) => _key === phase.operation_key)}
          lines={lines.filter(({ phase_key }) => phase_key === phase._key)}
          units={units}
        />
      ))}
    </>
  )
}
