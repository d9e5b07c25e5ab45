import { useQuery } from '@tanstack/react-query'
import { mediaUrl } from '@/api'
import { TraceMark } from '@/areas/product/marks'
import { useFormats, useRich, useText } from '@/i18n'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { dueDay, startDay } from '@/ui/days'
import { type Fact, Facts } from '@/ui/Facts'
import { Go } from '@/ui/Go'
import { Icon } from '@/ui/icons'
import { LongText } from '@/ui/LongText'
import { Moment } from '@/ui/Moment'
import { Quantity } from '@/ui/Quantity'
import { Section } from '@/ui/Section'
import type { Order } from '../orders'
import { usePeople } from '../people'
import { positionQuery, productQuery } from '../queries'
import { Money } from './money'

/** The unit of the product, where the user may see it. */
export function useUnit(order: Order): string | undefined {
  const { can } = useSession()
  const product = useQuery({ ...productQuery(order.product_key), enabled: can('product:catalogue:read') })
  return product.data?.unit || undefined
}

export function useOutputCode(order: Order): string | undefined {
  const { can } = useSession()
  const key = order.output_position_key
  const position = useQuery({
    ...positionQuery(key ?? ''),
    enabled: key !== null && can('inventory:position:read'),
  })
  return position.data?.position.code
}

function useFacts(order: Order): Fact[] {
  const t = useText()
  const rich = useRich()
  const { can } = useSession()
  const { nameOf } = usePeople()
  const unit = useUnit(order)
  const output = useOutputCode(order)
  const author = nameOf(order.created_by)
  const created = <Moment at={order.created} />
  return [
    {
      label: t('production.facts.product'),
      value: <Code to={`/product/${encodeURIComponent(order.product_key)}`}>{order.product_code}</Code>,
    },
    { label: t('production.facts.quantity'), value: <Quantity value={order.qt_planned} unit={unit} /> },
    { label: t('production.facts.project'), value: order.project_code },
    { label: t('production.facts.due'), value: order.due_by && <Moment at={dueDay(order.due_by)} as="date" /> },
    {
      label: t('production.facts.from'),
      value: order.start_from && <Moment at={startDay(order.start_from)} as="date" />,
    },
    {
      label: t('production.facts.created'),
      value: author ? rich('production.facts.by', { time: created, name: author }) : created,
    },
    { label: t('production.facts.started'), value: order.start && <Moment at={order.start} /> },
    { label: t('production.facts.ended'), value: order.end && <Moment at={order.end} /> },
    { label: t('production.facts.output'), value: output && <Code>{output}</Code> },
    {
      label: t('production.facts.bom'),
      value:
        order.bom_version === null
          ? t('production.facts.bomOwn')
          : t('production.facts.bomVersion', { version: order.bom_version }),
    },
    {
      label: t('production.facts.units'),
      value: order.traceability_level !== null && can('serial:read') && (
        <Go to={`/serial?order=${encodeURIComponent(order.wo_code)}`}>{t('production.facts.unitsOpen')}</Go>
      ),
    },
    { label: t('product.col.trace'), value: <TraceMark level={order.traceability_level} /> },
  ]
}

export function OrderFacts({ order }: { order: Order }) {
  const t = useText()
  const facts = useFacts(order)
  return (
    <Section title={t('production.facts.title')}>
      <Facts facts={facts} />
    </Section>
  )
}

export function Notes({ order }: { order: Order }) {
  const t = useText()
  if (!order.notes) return null
  return (
    <Section title={t('production.notes.title')}>
      <LongText text={order.notes} />
    </Section>
  )
}

/** What was spent. The service gives it to those who may see the order. */
export function Costs({ order }: { order: Order }) {
  const t = useText()
  const formats = useFormats()
  const cost = (value: string | number | null) =>
    value === null ? (
      <span title={t('production.cost.unknownWhy')}>{t('production.cost.unknown')}</span>
    ) : (
      <Money value={value} />
    )
  return (
    <Section title={t('production.cost.title')}>
      <div className="tw-wo-costs">
        <Facts
          facts={[
            {
              label: t('production.cost.time'),
              value: order.processing_time === null ? null : formats.duration(order.processing_time),
            },
            { label: t('production.cost.work'), value: cost(order.processing_cost) },
            { label: t('production.cost.material'), value: cost(order.material_cost) },
            { label: t('production.cost.total'), value: <b>{cost(order.total_cost)}</b> },
          ]}
        />
      </div>
    </Section>
  )
}

/** The product's documents as they were named when the order was made. */
export function Documents({ order }: { order: Order }) {
  const t = useText()
  const formats = useFormats()
  const { can } = useSession()
  if (order.wo_docs.length === 0) return null
  const base = `/media/product/${encodeURIComponent(order.product_key)}/docs/`
  return (
    <Section title={t('production.docs.title')} count={order.wo_docs.length}>
      <ul className="tw-wo-docs">
        {order.wo_docs.map(({ name, size }) => {
          const url = can('attachment:file:read') ? mediaUrl(base + encodeURIComponent(name)) : null
          return (
            <li key={name}>
              <Icon name="file" />
              {url ? (
                <a href={url} target="_blank" rel="noreferrer">
                  {name}
                </a>
              ) : (
                name
              )}
              <span>{formats.bytes(size)}</span>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
