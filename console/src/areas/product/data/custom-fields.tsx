import { useQuery } from '@tanstack/react-query'
import { mediaUrl, type Schemas } from '@/api'
import { useFormats, useText } from '@/i18n'
import { useSession } from '@/session'
import { type Fact, Facts } from '@/ui/Facts'
import { Lines } from '@/ui/Skeletons'
import type { PartProps } from '../part'
import { fieldsQuery } from '../queries'
import { type FieldKind, fieldText, fileNames } from './field-value'

type Entry = Schemas['ProductMetadata']

/** The values of custom fields, each in the words of its field. */
export function CustomFields({ product }: PartProps) {
  const t = useText()
  const { can } = useSession()
  const fields = useQuery({ ...fieldsQuery, enabled: product.metadata.length > 0 && can('quality:form:read') })
  if (product.metadata.length === 0) return <p className="tw-product-note">{t('product.data.fields.none')}</p>
  if (fields.isLoading) return <Lines count={product.metadata.length} />
  const facts = product.metadata.map((entry): Fact => {
    const field = fields.data?.find(({ _key }) => _key === entry.custom_field_key)
    return {
      label: entry.label ?? field?.default_label ?? field?.name ?? t('product.data.field.gone'),
      value: <Value productKey={product._key} entry={entry} kind={field?.type ?? 'text'} />,
    }
  })
  return <Facts facts={facts} />
}

function Value({ productKey, entry, kind }: { productKey: string; entry: Entry; kind: FieldKind }) {
  const t = useText()
  const formats = useFormats()
  const text = fieldText(t, formats, kind, entry.value)
  const files = kind === 'files' ? fileNames(entry.value) : []
  return (
    <>
      {files.length === 0 && (text ?? <span className="tw-none">–</span>)}
      {files.map((name) => (
        <div key={name}>
          <a href={fileAddress(productKey, entry.custom_field_key, name)} target="_blank" rel="noreferrer">
            {name}
          </a>
        </div>
      ))}
      {entry.hint && <p className="tw-data-means">{entry.hint}</p>}
    </>
  )
}

function fileAddress(productKey: string, fieldKey: string, name: string): string | undefined {
  const path = [productKey, 'meta', fieldKey, name].map(encodeURIComponent).join('/')
  return mediaUrl(`/media/product/${path}`) ?? undefined
}
