import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { mediaUrl } from '@/api'
import { compare } from '@/api/decimal'
import { Created, type Made } from '@/areas/production/new-order/created'
import { NewOrder, NewOrderButton } from '@/areas/production/new-order/new-order'
import { planPage } from '@/areas/production/plan/of-product'
import { useFormats, useText } from '@/i18n'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { type Fact, Facts } from '@/ui/Facts'
import { Go } from '@/ui/Go'
import { Icon } from '@/ui/icons'
import { PageHead } from '@/ui/PageHead'
import { Quantity } from '@/ui/Quantity'
import { ProductState, Tags, TraceMark } from '../marks'
import { isOrderable } from '../orderable'
import type { PartProps } from '../part'
import { type FullProduct, parentsQuery, statsQuery, stockQuery, versionsQuery } from '../queries'
import { productPage } from '../tabs'

/** What it is, whether orders can be made, how it is made and traced, how much there is. */
export function ProductHead({ product }: PartProps) {
  const t = useText()
  const { can } = useSession()
  const [ordering, setOrdering] = useState(false)
  const [made, setMade] = useState<Made | null>(null)
  const { code, description } = product
  const order = () => {
    setMade(null)
    setOrdering(true)
  }
  return (
    <>
      {made && <Created made={made} onDismiss={() => setMade(null)} />}
      <div className="tw-product-head">
        <ProductImage product={product} />
        <div className="tw-product-head-main">
          <PageHead
            title={description ? `${code} ${description}` : code}
            shown={
              <span className="tw-product-title">
                <Code>{code}</Code>
                {description}
              </span>
            }
            trail={<Go to="/product">{t('product.head.products')}</Go>}
            mark={<ProductState product={product} look="tag" />}
            answer={<Answer product={product} />}
            actions={isOrderable(product) && can('production:work-order:create') && <NewOrderButton onOpen={order} />}
          />
          <HeadFacts product={product} />
        </div>
        {ordering && <NewOrder product={product._key} onClose={() => setOrdering(false)} onMade={setMade} />}
      </div>
    </>
  )
}

function ProductImage({ product }: PartProps) {
  const t = useText()
  const { can } = useSession()
  const [failed, setFailed] = useState(false)
  const address =
    product.img_name === null
      ? null
      : mediaUrl(`/media/product/${encodeURIComponent(product._key)}/${encodeURIComponent(product.img_name)}`)
  const shown = address !== null && can('attachment:file:read') && !failed
  return (
    <div className="tw-product-image" data-empty={!shown || undefined}>
      {shown ? (
        <img
          src={`${address}?rev=${product._rev}`}
          alt={t('product.head.image', { code: product.code })}
          onError={() => setFailed(true)}
        />
      ) : (
        <Icon name="product" size={32} />
      )}
    </div>
  )
}

/** How it is made, in one line; and what stands in the way of making it. */
function Answer({ product }: PartProps) {
  const t = useText()
  const phases = product.process_phases.length
  const made = phases === 0 ? t('product.head.bought') : t('product.head.phases', { count: phases })
  return (
    <>
      <div className="tw-product-about">
        <span>
          {made}
          <LineCount product={product} />
        </span>
        {product.tags.length > 0 && <Tags tags={product.tags} />}
      </div>
      {product.trash && <div>{t('product.head.trash')}</div>}
      {!product.trash && !product.active && <div>{t('product.head.inactive')}</div>}
    </>
  )
}

function LineCount({ product }: PartProps) {
  const t = useText()
  const { can } = useSession()
  const versions = useQuery({
    ...versionsQuery(product._key),
    enabled: can('product:bom:read') && product.bom_version > 0,
  })
  const lines = versions.data?.find(({ version }) => version === product.bom_version)?.line_count
  if (product.bom_version === 0) return ` · ${t('product.head.noBom')}`
  return lines === undefined ? null : ` · ${t('product.head.lines', { count: lines })}`
}

function HeadFacts({ product }: PartProps) {
  const t = useText()
  const facts: Fact[] = [
    { label: t('product.head.fact.trace'), value: <TraceMark level={product.traceability_level} /> },
    {
      label: t('product.head.fact.bom'),
      value: product.bom_version > 0 && (
        <Go to={productPage(product._key, 'versions')}>
          <Quantity value={product.bom_version} />
        </Go>
      ),
    },
    { label: t('product.head.fact.stock'), value: useStock(product) },
    { label: t('product.head.fact.orders'), value: useOpenOrders(product) },
    { label: t('product.head.fact.usedIn'), value: useParents(product) },
  ]
  return <Facts facts={facts} look="line" />
}

function useStock(product: FullProduct): ReactNode {
  const t = useText()
  const formats = useFormats()
  const { can } = useSession()
  const wanted = product.manage_inventory && can('inventory:inventory:read')
  const stock = useQuery({ ...stockQuery(product._key, 'IN'), enabled: wanted })
  if (!wanted || !stock.isSuccess) return wanted ? '…' : false
  const { minimum_stock_qt: minimum, unit } = product
  const quantity = stock.data === null ? 0 : stock.data.quantity
  const low = minimum !== null && quantity !== null && compare(quantity, minimum) < 0
  return (
    <>
      <Go to={productPage(product._key, 'stock')}>
        <Quantity value={quantity} unit={unit} />
      </Go>
      {low && (
        <span className="tw-product-low">
          <Icon name="issue" size={14} />
          {t('product.head.below', { qt: formats.decimal(minimum) })}
        </span>
      )}
    </>
  )
}

function useOpenOrders(product: FullProduct): ReactNode {
  const t = useText()
  const formats = useFormats()
  const { can } = useSession()
  const makes = product.process_phases.length > 0
  const stats = useQuery({ ...statsQuery(product._key), enabled: makes })
  if (!makes || !stats.isSuccess) return makes ? '…' : false
  const { open_work_orders: orders, open_qt: qt } = stats.data
  if (orders === 0 || qt === null) return formats.number(orders)
  const shown = formats.decimal(qt)
  const inUnits =
    product.unit === '' ? t('product.head.fact.units', { count: Number(qt), shown }) : `${shown}\u00a0${product.unit}`
  const words = t('product.head.fact.open', { count: orders, qt: inUnits })
  return can('production:queue:read') ? <Go to={planPage({ of: product._key })}>{words}</Go> : words
}

function useParents(product: FullProduct): ReactNode {
  const t = useText()
  const { can } = useSession()
  const wanted = can('product:bom:read')
  const parents = useQuery({ ...parentsQuery(product._key), enabled: wanted })
  if (!wanted || !parents.isSuccess) return wanted ? '…' : false
  const count = parents.data.total ?? parents.data.rows.length
  if (count === 0) return t('product.head.nowhere')
  return <Go to={productPage(product._key, 'where-used')}>{t('product.head.products.count', { count })}</Go>
}
