import { useFormats, useText } from '@/i18n'
import { Icon } from '@/ui/icons'
import type { JobDetail } from '../model'
import { Dialog } from './dialog'

interface Props {
  readonly job: JobDetail
  readonly opened: boolean
  readonly onClose: () => void
}

/** The documents that the product had when the order was made. */
export function DocsDialog({ job, opened, onClose }: Props) {
  const t = useText()
  const formats = useFormats()
  const address = (name: string) =>
    `/media/product/${encodeURIComponent(job.product_key)}/docs/${encodeURIComponent(name)}`
  return (
    <Dialog opened={opened} onClose={onClose} title={t('panel.docs.title')}>
      {job.job_docs.length === 0 && <p>{t('panel.docs.none')}</p>}
      <ul className="pn-docs">
        {job.job_docs.map(({ name, size }) => (
          <li key={name}>
            <a href={address(name)} target="_blank" rel="noreferrer">
              <Icon name="file" size={24} />
              <span>{name}</span>
              <small>{formats.bytes(size)}</small>
            </a>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
