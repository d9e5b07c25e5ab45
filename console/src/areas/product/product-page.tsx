import { useQuery } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { useText } from '@/i18n'
import { useLive } from '@/live'
import { useSession } from '@/session'
import { Empty } from '@/ui/Empty'
import { LoadFailed } from '@/ui/LoadFailed'
import { PageSkeleton } from '@/ui/Skeletons'
import { BomTab } from './bom/bom-tab'
import { WhereUsedTab } from './bom/where-used-tab'
import { DataTab } from './data/data-tab'
import { DocumentsTab } from './documents/documents-tab'
import { FiguresTab } from './figures/figures-tab'
import { ProductHead } from './head/product-head'
import { TabBar } from './head/tab-bar'
import type { PartProps } from './part'
import { ProcessTab } from './process/process-tab'
import { productQuery } from './queries'
import { productRoute } from './routes'
import { SerialsTab } from './serials/serials-tab'
import { StockTab } from './stock/stock-tab'
import { isTab, TAB_SCOPES, type Tab } from './tabs'
import { VersionsTab } from './versions/versions-tab'
import './product.css'

const PARTS: Readonly<Record<Tab, ComponentType<PartProps>>> = {
  data: DataTab,
  process: ProcessTab,
  bom: BomTab,
  'where-used': WhereUsedTab,
  versions: VersionsTab,
  stock: StockTab,
  serials: SerialsTab,
  documents: DocumentsTab,
  figures: FiguresTab,
}

/** A product to read: the head says what it is, a tab shows each part, and each has its own address. */
export default function ProductPage() {
  const { productKey, tab } = productRoute.useParams()
  const product = useQuery(productQuery(productKey))
  useLive(['production', 'inventory', 'serial'], ({ product_key }) =>
    product_key === undefined ? undefined : product_key === productKey,
  )
  if (product.isPending) return <PageSkeleton />
  if (product.data === undefined) return <LoadFailed error={product.error} onRetry={() => product.refetch()} />
  const shown = isTab(tab) ? tab : 'data'
  return (
    <div className="tw-product">
      <ProductHead product={product.data} />
      <TabBar productKey={productKey} tab={shown} />
      <Part product={product.data} tab={shown} />
    </div>
  )
}

function Part({ product, tab }: PartProps & { tab: Tab }) {
  const t = useText()
  const { can } = useSession()
  const scope = TAB_SCOPES[tab]
  if (scope !== undefined && !can(scope)) {
    return (
      <Empty icon="lock" title={t('product.tab.noRight', { part: t(`product.tab.${tab}`) })}>
        {t('product.tab.noRight.text')}
      </Empty>
    )
  }
  const Shown = PARTS[tab]
  // The key starts each product afresh: nothing opened for one stays open for another.
  return <Shown key={product._key} product={product} />
}
