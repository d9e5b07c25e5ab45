import { useQuery } from '@tanstack/react-query'
import { useText } from '@/i18n'
import { Empty } from '@/ui/Empty'
import { LoadFailed } from '@/ui/LoadFailed'
import { Lines } from '@/ui/Skeletons'
import type { PartProps } from '../part'
import { versionsQuery } from '../queries'
import { usePageSearch } from '../use-page-search'
import { AllVersions } from './all-versions'
import { OtherProduct } from './other-product'
import { sidesOf } from './sides'
import { TwoProducts } from './two-products'
import { TwoVersions } from './two-versions'
import { VersionChoice } from './version-choice'
import './versions.css'

/** Two versions side by side, or two products; below, all versions. */
export function VersionsTab({ product }: PartProps) {
  const t = useText()
  const [search, change] = usePageSearch()
  const versions = useQuery(versionsQuery(product._key))
  if (versions.isPending) return <Lines count={8} />
  if (versions.data === undefined) return <LoadFailed error={versions.error} onRetry={() => versions.refetch()} />
  const sides = sidesOf(versions.data, search)
  const other = search.with
  const none = versions.data.length === 0
  return (
    <>
      <div className="tw-product-tools">
        {sides !== null && other === undefined && (
          <VersionChoice versions={versions.data} current={product.bom_version} sides={sides} onChange={change} />
        )}
        <OtherProduct product={product} value={other} onChange={(key) => change({ with: key })} />
      </div>
      {other !== undefined && <TwoProducts product={product} otherKey={other} />}
      {other === undefined && sides !== null && (
        <TwoVersions product={product} versions={versions.data} sides={sides} />
      )}
      {other === undefined && sides === null && (
        <Empty icon="product" title={t(none ? 'product.versions.none' : 'product.versions.only')}>
          {t(none ? 'product.versions.none.text' : 'product.versions.only.text')}
        </Empty>
      )}
      {!none && <AllVersions versions={versions.data} current={product.bom_version} />}
    </>
  )
}
