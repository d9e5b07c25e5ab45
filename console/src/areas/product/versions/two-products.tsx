import { useQueries, useQuery } from '@tanstack/react-query'
import { useFormats, useText } from '@/i18n'
import { useSession } from '@/session'
import { LoadFailed } from '@/ui/LoadFailed'
import { Section } from '@/ui/Section'
import { Lines } from '@/ui/Skeletons'
import { bomQuery, type FullProduct, fieldsQuery, processQuery, productQuery } from '../queries'
import { ComparedFacts } from './compared-facts'
import { ComparedLines } from './compared-lines'
import { ComparedProcess } from './compared-process'
import { compareFacts, dataTexts } from './data'
import { phasesOfProduct } from './process'

/** Two products side by side, as they are now: data, lines, process. */
export function TwoProducts({ product, otherKey }: { product: FullProduct; otherKey: string }) {
  const t = useText()
  const { can } = useSession()
  const other = useQuery(productQuery(otherKey))
  const [linesHere, linesThere, processHere, processThere] = useQueries({
    queries: [
      bomQuery(product._key),
      bomQuery(otherKey),
      { ...processQuery(product._key), enabled: can('process:template:read') },
      { ...processQuery(otherKey), enabled: can('process:template:read') },
    ],
  })
  const failed = [other, linesHere, linesThere].find(({ isError }) => isError)
  if (failed) return <LoadFailed error={failed.error} onRetry={() => failed.refetch()} />
  if (!other.data || !linesHere.data || !linesThere.data) return <Lines count={8} />
  const names = [product.code, other.data.code] as const
  return (
    <>
      <Section title={t('product.versions.data')}>
        <Data product={product} other={other.data} names={names} />
      </Section>
      <ComparedLines before={linesHere.data} after={linesThere.data} names={names} />
      {processHere.data && processThere.data && (
        <Section title={t('product.versions.process')}>
          <ComparedProcess
            before={phasesOfProduct(processHere.data)}
            after={phasesOfProduct(processThere.data)}
            names={names}
          />
        </Section>
      )}
    </>
  )
}

interface DataProps {
  readonly product: FullProduct
  readonly other: FullProduct
  readonly names: readonly [string, string]
}

function Data({ product, other, names }: DataProps) {
  const t = useText()
  const formats = useFormats()
  const { can } = useSession()
  const fields = useQuery({ ...fieldsQuery, enabled: can('quality:form:read') })
  const words = { t, formats, fields: fields.data ?? [] }
  const facts = compareFacts(dataTexts(product, words), dataTexts(other, words))
  return <ComparedFacts label={t('product.versions.data.label')} facts={facts} names={names} />
}
