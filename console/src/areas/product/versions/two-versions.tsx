import { useQueries, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useRich, useText } from '@/i18n'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { LoadFailed } from '@/ui/LoadFailed'
import { Section } from '@/ui/Section'
import { Lines } from '@/ui/Skeletons'
import { type BomVersion, bomQuery, type FullProduct, ordersQuery, processQuery } from '../queries'
import { ChangeLog } from './change-log'
import { ComparedLines } from './compared-lines'
import { ComparedProcess } from './compared-process'
import { orderOfVersion, type PhaseView, phasesOfOrder, phasesOfProduct } from './process'
import { type Sides, spanOf } from './sides'

interface TwoVersionsProps {
  readonly product: FullProduct
  readonly versions: readonly BomVersion[]
  readonly sides: Sides
}

/** Two versions of one product: the lines exactly, the process as orders kept it, the data as the audit log tells. */
export function TwoVersions({ product, versions, sides }: TwoVersionsProps) {
  const t = useText()
  const [before, after] = useQueries({
    queries: [bomQuery(product._key, sides.from), bomQuery(product._key, sides.to)],
  })
  const name = (number: number) =>
    t(number === product.bom_version ? 'product.versions.now' : 'product.versions.version', { number })
  const names = [name(sides.from), name(sides.to)] as const
  const failed = [before, after].find(({ isError }) => isError)
  if (failed) return <LoadFailed error={failed.error} onRetry={() => failed.refetch()} />
  if (!before.data || !after.data) return <Lines count={8} />
  return (
    <>
      <ComparedLines before={before.data} after={after.data} names={names} />
      <ProcessOfVersions product={product} sides={sides} names={names} />
      <Section title={t('product.versions.data')}>
        <ChangeLog product={product} span={spanOf(versions, sides)} />
      </Section>
    </>
  )
}

interface KeptProcess {
  readonly phases: readonly PhaseView[]
  readonly words: ReactNode
}

function ProcessOfVersions({
  product,
  sides,
  names,
}: Pick<TwoVersionsProps, 'product' | 'sides'> & { names: readonly [string, string] }) {
  const t = useText()
  const rich = useRich()
  const { can } = useSession()
  const mayRead = can('process:template:read') && can('production:work-order:read')
  const process = useQuery({ ...processQuery(product._key), enabled: mayRead })
  const orders = useQuery({ ...ordersQuery(product._key), enabled: mayRead })
  if (!mayRead) return null
  const kept = (number: number): KeptProcess | null => {
    if (number === product.bom_version) {
      return { phases: phasesOfProduct(process.data ?? []), words: t('product.versions.process.current', { number }) }
    }
    const order = orderOfVersion(orders.data ?? [], number)
    if (order === undefined) return null
    return {
      phases: phasesOfOrder(order),
      words: rich('product.versions.process.order', {
        order: (
          <Code bare to={`/order/${encodeURIComponent(order._key)}`}>
            {order.wo_code}
          </Code>
        ),
        number,
      }),
    }
  }
  const [from, to] = [kept(sides.from), kept(sides.to)]
  const missing = from === null ? sides.from : sides.to
  return (
    <Section title={t('product.versions.process')}>
      {process.isPending || orders.isPending ? (
        <Lines count={3} />
      ) : from === null || to === null ? (
        <p className="tw-product-note">{t('product.versions.process.unkept', { number: missing })}</p>
      ) : (
        <>
          <p className="tw-product-note">
            {from.words} {to.words}
          </p>
          <ComparedProcess before={from.phases} after={to.phases} names={names} />
        </>
      )}
    </Section>
  )
}
