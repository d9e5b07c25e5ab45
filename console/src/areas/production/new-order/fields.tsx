import { Checkbox, Textarea, TextInput } from '@mantine/core'
import type { Schemas } from '@/api'
import { isZero } from '@/api/decimal'
import { serviceNow } from '@/clock'
import { useFormats, useText } from '@/i18n'
import { useSession } from '@/session'
import { dayOf } from '@/ui/days'
import { faultAt, fieldPath, type ShownFault } from '@/ui/fault-paths'
import { type Entered, isOverdue } from './form'
import { PositionPicker, ProductPicker } from './picker'

type Product = Schemas['ProductFull']

interface OrderFieldsProps {
  readonly entered: Entered
  readonly onChange: (changes: Partial<Entered>) => void
  readonly faults: readonly ShownFault[]
  readonly product: Product | undefined
}

/** The fields of a new order: what nearly every order needs first, the rest below. */
export function OrderFields({ entered, onChange, faults, product }: OrderFieldsProps) {
  const t = useText()
  const { can } = useSession()
  const at = (path: string) => faultAt(faults, path)
  const unmade = product?.process_phases.length === 0
  const overdue = isOverdue(entered.due, dayOf(new Date(serviceNow()).toISOString()))
  return (
    <>
      <div>
        <ProductPicker
          value={entered.product}
          onChange={(key) => onChange({ product: key })}
          error={at('product_key') ?? (unmade ? t('production.new.wrong.process') : undefined)}
        />
        {product && !unmade && <AboutProduct product={product} />}
      </div>
      <div className="tw-new-order-pair">
        <TextInput
          {...fieldPath('qt_planned')}
          label={t('production.new.quantity')}
          withAsterisk
          inputMode="decimal"
          autoComplete="off"
          value={entered.quantity}
          onChange={(event) => onChange({ quantity: event.currentTarget.value })}
          error={at('qt_planned')}
          rightSection={product?.unit ? <span className="tw-new-order-unit">{product.unit}</span> : undefined}
          rightSectionWidth={product?.unit ? 64 : undefined}
          data-autofocus={entered.product !== null || undefined}
        />
        <TextInput
          {...fieldPath('due_by')}
          type="date"
          label={t('production.new.due')}
          value={entered.due}
          onChange={(event) => onChange({ due: event.currentTarget.value })}
          error={at('due_by')}
          description={overdue ? t('production.new.overdue') : undefined}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          classNames={{ description: 'tw-new-order-warning' }}
        />
      </div>
      <div className="tw-new-order-pair">
        <TextInput
          {...fieldPath('project_code')}
          label={t('production.new.project')}
          value={entered.project}
          onChange={(event) => onChange({ project: event.currentTarget.value })}
          error={at('project_code')}
        />
        <TextInput
          {...fieldPath('start_from')}
          type="date"
          label={t('production.new.from')}
          value={entered.from}
          onChange={(event) => onChange({ from: event.currentTarget.value })}
          error={at('start_from')}
        />
      </div>
      <div className="tw-new-order-pair">
        <TextInput
          {...fieldPath('wo_code')}
          label={t('production.new.code')}
          placeholder={t('production.new.code.hint')}
          value={entered.code}
          onChange={(event) => onChange({ code: event.currentTarget.value })}
          error={at('wo_code')}
        />
        {can('inventory:position:read') && (
          <PositionPicker
            path="output_position_key"
            value={entered.position}
            onChange={(key) => onChange({ position: key })}
            error={at('output_position_key')}
          />
        )}
      </div>
      <Textarea
        {...fieldPath('notes')}
        label={t('production.new.notes')}
        autosize
        minRows={2}
        maxRows={8}
        value={entered.notes}
        onChange={(event) => onChange({ notes: event.currentTarget.value })}
        error={at('notes')}
      />
      <div className="tw-new-order-checks">
        {can('production:queue:update') && (
          <Checkbox
            label={t('production.new.first')}
            checked={entered.first}
            onChange={(event) => onChange({ first: event.currentTarget.checked })}
          />
        )}
        <Checkbox
          label={t('production.new.priority')}
          checked={entered.priority}
          onChange={(event) => onChange({ priority: event.currentTarget.checked })}
        />
      </div>
    </>
  )
}

/** What one should know of the product when choosing a quantity. */
function AboutProduct({ product }: { product: Product }) {
  const t = useText()
  const formats = useFormats()
  const parts = [
    t('production.new.product.phases', { count: product.process_phases.length }),
    ...(product.traceability_level === null ? [] : [t('production.new.product.traced')]),
    ...(isZero(product.minimum_order_qt)
      ? []
      : [t('production.new.product.minimum', { quantity: formats.decimal(product.minimum_order_qt) })]),
    ...(isZero(product.technical_batch_qt)
      ? []
      : [t('production.new.product.batch', { quantity: formats.decimal(product.technical_batch_qt) })]),
  ]
  return <p className="tw-new-order-about">{parts.join(' · ')}</p>
}
