import type { Schemas } from '@/api'
import type { Formats, Text } from '@/i18n'
import { fieldText } from '../data/field-value'
import type { AuditEntry, FullProduct } from '../queries'

type CustomField = Schemas['CustomField']

export interface ComparedFact {
  readonly label: string
  readonly before: string | null
  readonly after: string | null
}

interface Words {
  readonly t: Text
  readonly formats: Formats
  readonly fields: readonly CustomField[]
}

/** The data of a product in words, by the names that the page has for them. */
export function dataTexts(product: FullProduct, { t, formats, fields }: Words): Map<string, string | null> {
  const yesNo = (value: boolean) => (value ? t('ui.yes') : t('ui.no'))
  const amount = (value: number | string | null) => (value === null ? null : formats.decimal(value))
  const span = (value: number | string | null) => (value === null ? null : formats.duration(Number(value) * 1000))
  const texts: [string, string | null][] = [
    [t('product.data.description'), product.description],
    [t('product.data.state'), product.active ? t('product.state.active') : t('product.state.inactive')],
    [t('product.data.unit'), product.unit || t('product.data.pieces')],
    [t('product.data.tags'), product.tags.map(({ name }) => name).join(', ') || null],
    [t('product.data.level'), t(`product.trace.${product.traceability_level ?? 'none'}`)],
    [t('product.data.counter'), product.counter?.name ?? null],
    [t('product.data.codeWhen'), t(`product.data.codeWhen.${product.serial_code_on_creation ? 'creation' : 'phase'}`)],
    [t('product.data.managed'), yesNo(product.manage_inventory)],
    [t('product.data.negative'), yesNo(product.allow_negative_inventory)],
    [t('product.data.minimum'), amount(product.minimum_stock_qt)],
    [t('product.data.costAverage'), amount(product.cost.average)],
    [t('product.data.costTarget'), amount(product.cost.target)],
    [t('product.data.batch'), amount(product.technical_batch_qt)],
    [t('product.data.order'), amount(product.minimum_order_qt)],
    [t('product.data.throughput'), span(product.throughput_time_target)],
    [t('product.data.processing'), span(product.processing_time_target)],
    [t('product.data.notes'), product.production_notes],
    [t('product.docs.documents'), product.docs.map(({ name }) => name).join(', ') || null],
  ]
  for (const { custom_field_key, label, value } of product.metadata) {
    const field = fields.find(({ _key }) => _key === custom_field_key)
    const name = label ?? field?.default_label ?? field?.name ?? t('product.data.field.gone')
    texts.push([name, fieldText(t, formats, field?.type ?? 'text', value)])
  }
  return new Map(texts)
}

/** What differs between two sets of facts. */
export function compareFacts(
  before: ReadonlyMap<string, string | null>,
  after: ReadonlyMap<string, string | null>,
): ComparedFact[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((label) => ({ label, before: before.get(label) ?? null, after: after.get(label) ?? null }))
    .filter((fact) => fact.before !== fact.after)
}

const DID = [
  'create_product',
  'update_product',
  'replace_product',
  'replace_process',
  'replace_bom',
  'set_product_image',
  'delete_product_image',
  'add_product_doc',
  'delete_product_doc',
  'update_tag_connections',
] as const

/** What an entry of the audit log did, in words. */
export function didWhat(t: Text, { operation }: Pick<AuditEntry, 'operation'>): string {
  const known = DID.find((one) => one === operation)
  return known === undefined ? t('product.versions.did.other', { operation }) : t(`product.versions.did.${known}`)
}

const NAMES = {
  code: 'product.data.code',
  description: 'product.data.description',
  active: 'product.data.state',
  unit: 'product.data.unit',
  traceability_level: 'product.data.level',
  counter_key: 'product.data.counter',
  serial_code_on_creation: 'product.data.codeWhen',
  manage_inventory: 'product.data.managed',
  allow_negative_inventory: 'product.data.negative',
  minimum_stock_qt: 'product.data.minimum',
  cost: 'product.data.costAverage',
  technical_batch_qt: 'product.data.batch',
  minimum_order_qt: 'product.data.order',
  throughput_time_target: 'product.data.throughput',
  processing_time_target: 'product.data.processing',
  production_notes: 'product.data.notes',
  metadata: 'product.data.fields',
  default_production_position_key: 'product.data.output',
  default_consumption_position_key: 'product.data.consumption',
} as const

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

/** Which data an entry names: the fields that were sent, or the file. */
export function about(t: Text, { operation, summary }: Pick<AuditEntry, 'operation' | 'summary'>): string {
  if (operation === 'update_product') {
    const sent = member(summary, 'body')
    const names = typeof sent === 'object' && sent !== null ? Object.keys(sent) : []
    return names.map((name) => (name in NAMES ? t(NAMES[name as keyof typeof NAMES]) : name)).join(', ')
  }
  const parts = member(summary, 'parts')
  const file = Array.isArray(parts) ? member(parts[0], 'name') : undefined
  return typeof file === 'string' ? file : ''
}
