import { ActionIcon } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { mediaUrl } from '@/api'
import { useFormats, useText } from '@/i18n'
import { useSession } from '@/session'
import { Empty } from '@/ui/Empty'
import { Icon } from '@/ui/icons'
import { Section } from '@/ui/Section'
import type { PartProps } from '../part'
import { isPicture, mediumAddress } from '../process/step-text'
import { processQuery } from '../queries'

interface FileEntry {
  readonly id: string
  readonly name: string
  readonly size: number
  readonly address: string | undefined
  readonly of?: string
}

/** Drawings, data sheets and certificates, and the files of the steps: open one, or keep it. */
export function DocumentsTab({ product }: PartProps) {
  const t = useText()
  const { can } = useSession()
  const mayOpen = can('attachment:file:read')
  const docs = product.docs.map((doc): FileEntry => {
    const path = `/media/product/${encodeURIComponent(product._key)}/docs/${encodeURIComponent(doc.name)}`
    return { id: doc.name, name: doc.name, size: doc.size, address: mediaUrl(path) ?? undefined }
  })
  return (
    <>
      <Section title={t('product.docs.documents')} count={docs.length || undefined}>
        {!mayOpen && docs.length > 0 && <p className="tw-product-note">{t('product.docs.noRight')}</p>}
        {docs.length === 0 ? (
          <Empty icon="file" title={t('product.docs.none')}>
            {t('product.docs.none.text')}
          </Empty>
        ) : (
          <Files files={docs} mayOpen={mayOpen} />
        )}
      </Section>
      {can('process:template:read') && <StepFiles product={product} />}
    </>
  )
}

function Files({ files, mayOpen }: { files: readonly FileEntry[]; mayOpen: boolean }) {
  const t = useText()
  const formats = useFormats()
  return (
    <ul className="tw-docs">
      {files.map(({ id, name, size, address, of }) => (
        <li key={id}>
          <Icon name="file" />
          <span>
            {mayOpen ? (
              <a href={address} target="_blank" rel="noreferrer" aria-label={t('product.docs.open', { name })}>
                {name}
              </a>
            ) : (
              name
            )}
            {of && <span className="tw-docs-of">{of}</span>}
          </span>
          <span className="tw-docs-size">{formats.bytes(size)}</span>
          {mayOpen && (
            <ActionIcon
              component="a"
              href={address}
              download={name}
              variant="subtle"
              color="gray"
              aria-label={t('product.docs.download', { name })}
              title={t('product.docs.download', { name })}
            >
              <Icon name="download" />
            </ActionIcon>
          )}
        </li>
      ))}
    </ul>
  )
}

/** What lies in the steps: pictures to look at, other files as a list. */
function StepFiles({ product }: PartProps) {
  const t = useText()
  const { can } = useSession()
  const process = useQuery(processQuery(product._key))
  const all = (process.data ?? []).flatMap((phase) =>
    phase.steps.flatMap((step) =>
      step.media.map((medium) => ({
        ...medium,
        of: t('product.docs.ofStep', { phase: phase.alias, step: step.title }),
        alt: t('product.process.picture', { step: step.title, name: medium.name }),
      })),
    ),
  )
  if (all.length === 0) return null
  const pictures = all.filter(isPicture)
  const files = all
    .filter((medium) => !isPicture(medium))
    .map(
      (medium): FileEntry => ({
        id: medium._key,
        name: medium.name,
        size: medium.size,
        of: medium.of,
        address: mediumAddress(medium),
      }),
    )
  return (
    <Section title={t('product.docs.pictures')} count={all.length}>
      <ul className="tw-pictures">
        {pictures.map((picture) => (
          <li key={picture._key}>
            <a href={mediumAddress(picture)} target="_blank" rel="noreferrer">
              <img src={mediumAddress(picture)} alt={picture.alt} loading="lazy" />
            </a>
            <span>{picture.name}</span>
            <span className="tw-docs-of">{picture.of}</span>
          </li>
        ))}
      </ul>
      {files.length > 0 && <Files files={files} mayOpen={can('attachment:media:read')} />}
    </Section>
  )
}
