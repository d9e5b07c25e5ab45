import { Modal } from '@mantine/core'
import { useState } from 'react'
import { useText } from '@/i18n'
import { Icon } from '@/ui/icons'
import type { Step } from '../model'

type Media = Step['media'][number]

function address({ _key }: Media): string {
  return `/api/media/${encodeURIComponent(_key)}`
}

/** Pictures of a step, large enough to work by; a tap enlarges them. Other files are links. */
export function Pictures({ media }: { media: readonly Media[] }) {
  const t = useText()
  const [shown, setShown] = useState<Media | null>(null)
  const pictures = media.filter(({ content_type: type }) => type.startsWith('image/'))
  const files = media.filter((one) => !pictures.includes(one))
  if (media.length === 0) return null
  return (
    <div className="pn-pictures">
      {pictures.map((picture) => (
        <button
          type="button"
          key={picture._key}
          aria-label={t('panel.step.enlarge', { name: picture.name })}
          onClick={() => setShown(picture)}
        >
          <img src={address(picture)} alt="" />
        </button>
      ))}
      {files.map((file) => (
        <a key={file._key} className="pn-file" href={address(file)} target="_blank" rel="noreferrer">
          <Icon name="file" size={22} />
          {t('panel.step.file', { name: file.name })}
        </a>
      ))}
      <Modal
        opened={shown !== null}
        onClose={() => setShown(null)}
        title={shown?.name}
        fullScreen
        closeButtonProps={{ 'aria-label': t('ui.close') }}
        attributes={{ header: { role: 'presentation' } }}
      >
        {shown && <img className="pn-large" src={address(shown)} alt={t('panel.step.picture', { name: shown.name })} />}
      </Modal>
    </div>
  )
}
