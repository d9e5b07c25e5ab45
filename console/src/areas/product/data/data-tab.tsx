import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isZero } from '@/api/decimal'
import { Money } from '@/areas/production/order/money'
import { useFormats, useText } from '@/i18n'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { type Fact, Facts } from '@/ui/Facts'
import { LongText } from '@/ui/LongText'
import { Moment } from '@/ui/Moment'
import { Quantity } from '@/ui/Quantity'
import { Section } from '@/ui/Section'
import { ProductState, Tags, TraceMark } from '../marks'
import type { PartProps } from '../part'
import { positionsQuery } from '../queries'
import { CustomFields } from './custom-fields'
import { nextCode } from './field-value'
import './data.css'

/** The record of the product, grouped by what one asks it for. */
export function DataTab({ product }: PartProps) {
  const t = useText()
  return (
    <div className="tw-data">
      <Section title={t('product.data.identity')}>
        <Identity product={product} />
      </Section>
      <Section title={t('product.data.trace')}>
        <Traceability product={product} />
      </Section>
      <Section title={t('product.data.stock')}>
        <StockKeeping product={product} />
      </Section>
      <Section title={t('product.data.plan')}>
        <Planning product={product} />
      </Section>
      <Section title={t('product.data.fields')} count={product.metadata.length || undefined}>
        <CustomFields product={product} />
      </Section>
      {product.production_notes && (
        <Section title={t('product.data.notes')}>
          <LongText text={product.production_notes} />
        </Section>
      )}
    </div>
  )
}

function Identity({ product }: PartProps) {
  const t = useText()
  const facts: Fact[] = [
    { label: t('product.data.code'), value: <Code>{product.code}</Code> },
    {
      label: t('product.data.description'),
      value: product.description ? <LongText text={product.description} /> : <None />,
    },
    { label: t('product.data.unit'), value: product.unit || t('product.data.pieces') },
    { label: t('product.data.state'), value: <ProductState product={product} /> },
    { label: t('product.data.tags'), value: <Tags tags={product.tags} /> },
    { label: t('product.data.created'), value: <Moment at={product.created} as="dateTime" /> },
    { label: t('product.data.updated'), value: <Moment at={product.updated} as="dateTime" /> },
  ]
  return <Facts facts={facts} />
}

function Traceability({ product }: PartProps) {
  const t = useText()
  const { traceability_level: level, counter } = product
  const next = counter === null ? null : nextCode(counter.template, counter.next_tick)
  const codeWhen = product.serial_code_on_creation
    ? t('product.data.codeWhen.creation')
    : t('product.data.codeWhen.phase')
  const facts: Fact[] = [
    {
      label: t('product.data.level'),
      value: (
        <>
          <TraceMark level={level} hint={false} />
          <p className="tw-data-means">{t(`product.trace.${level ?? 'none'}.means`)}</p>
        </>
      ),
    },
    { label: t('product.data.counter'), value: counter?.name },
    { label: t('product.data.counter.next'), value: next !== null && <Code>{next}</Code> },
    { label: t('product.data.codeWhen'), value: level !== null && codeWhen },
  ]
  return <Facts facts={facts} />
}

function StockKeeping({ product }: PartProps) {
  const t = useText()
  const yesNo = (value: boolean) => (value ? t('ui.yes') : t('ui.no'))
  const { can } = useSession()
  const { default_production_position_key: output, default_consumption_position_key: taken } = product
  const keys = [...new Set([output, taken].filter((key) => key !== null))]
  const positions = useQuery({
    ...positionsQuery(keys),
    enabled: keys.length > 0 && can('inventory:position:read'),
  })
  const place = (key: string | null): ReactNode => {
    if (key === null) return null
    const found = positions.data?.find(({ _key }) => _key === key)
    return found === undefined ? <None /> : <Code>{found.code}</Code>
  }
  const facts: Fact[] = [
    { label: t('product.data.managed'), value: yesNo(product.manage_inventory) },
    {
      label: t('product.data.negative'),
      value: product.manage_inventory && yesNo(product.allow_negative_inventory),
    },
    {
      label: t('product.data.minimum'),
      value: (
        <Quantity value={product.minimum_stock_qt} unit={product.minimum_stock_qt === null ? null : product.unit} />
      ),
    },
    { label: t('product.data.output'), value: place(output) },
    { label: t('product.data.consumption'), value: place(taken) },
  ]
  return <Facts facts={facts} />
}

function Planning({ product }: PartProps) {
  const t = useText()
  const formats = useFormats()
  const seconds = (value: number | string | null) => (value === null ? null : formats.duration(Number(value) * 1000))
  const amount = (value: number | string) => (isZero(value) ? null : <Quantity value={value} unit={product.unit} />)
  const facts: Fact[] = [
    { label: t('product.data.costAverage'), value: <Money value={product.cost.average} /> },
    { label: t('product.data.costTarget'), value: <Money value={product.cost.target} /> },
    { label: t('product.data.batch'), value: amount(product.technical_batch_qt) },
    { label: t('product.data.order'), value: amount(product.minimum_order_qt) },
    { label: t('product.data.throughput'), value: seconds(product.throughput_time_target) },
    { label: t('product.data.processing'), value: seconds(product.processing_time_target) },
  ]
  return <Facts facts={facts} />
}

function None() {
  return <span className="tw-none">–</span>
}
