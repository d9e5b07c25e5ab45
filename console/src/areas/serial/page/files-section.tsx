import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { failureOf, mediaUrl, type Schemas } from '@/api'
import { useFormats, useText } from '@/i18n'
import { useSession } from '@/session'
import { Dialog } from '@/ui/Dialog'
import { Faults } from '@/ui/Faults'
import { Icon } from '@/ui/icons'
import { LoadFailed } from '@/ui/LoadFailed'
import { Moment } from '@/ui/Moment'
import { Section } from '@/ui/Section'
import { Lines } from '@/ui/Skeletons'
import { filesThen, isPicture } from './model/files'
import { filesQuery } from './queries'
import { filesStored, storeFiles } from './store-files'
import type { UnitView } from './view'

type FileEntry = Schemas['FileEntry']

/** The files of the unit: pictures shown, others named. */
export function FilesSection({ view, mayUpload: may }: { view: UnitView; mayUpload: boolean }) {
  const t = useText()
  const { can } = useSession()
  const query = useQuery({ ...filesQuery(view.serialKey), enabled: can('attachment:file:read') })
  const files = filesThen(query.data ?? [], view.time)
  const uploading = useUploading(view.serialKey)
  const area = useDrop(may, uploading.add)
  if (!can('attachment:file:read')) return null
  return (
    <div id="files" ref={area}>
      <Section
        title={t('serial.files.title')}
        count={files.length > 0 ? files.length : undefined}
        actions={may && <AddButton busy={uploading.busy} onFiles={uploading.add} />}
      >
        {query.isPending && <Lines count={2} />}
        {query.isError && <LoadFailed error={query.error} onRetry={query.refetch} />}
        <Faults faults={[]} message={uploading.failure} />
        {query.data && files.length === 0 && (
          <p className="tw-unit-later">{may ? t('serial.files.noneText') : t('serial.files.none')}</p>
        )}
        <Pictures files={files.filter(isPicture)} />
        <ul className="tw-unit-files">
          {files
            .filter((file) => !isPicture(file))
            .map((file) => (
              <FileLine key={file.path} file={file} view={view} />
            ))}
        </ul>
      </Section>
    </div>
  )
}

/** Files may also be dropped: a shortcut for the button. */
function useDrop(may: boolean, add: (files: File[]) => Promise<void>): RefObject<HTMLDivElement | null> {
  const area = useRef<HTMLDivElement>(null)
  const latest = useRef(add)
  useEffect(() => {
    latest.current = add
  })
  useEffect(() => {
    const element = area.current
    if (!may || element === null) return
    const over = (event: DragEvent) => event.preventDefault()
    const drop = (event: DragEvent) => {
      event.preventDefault()
      void latest.current([...(event.dataTransfer?.files ?? [])])
    }
    element.addEventListener('dragover', over)
    element.addEventListener('drop', drop)
    return () => {
      element.removeEventListener('dragover', over)
      element.removeEventListener('drop', drop)
    }
  }, [may])
  return area
}

function useUploading(serialKey: string) {
  const t = useText()
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const add = async (files: readonly File[]) => {
    if (files.length === 0) return
    setBusy(true)
    setFailure(undefined)
    try {
      await storeFiles(serialKey, '', files)
      await filesStored(client, serialKey)
    } catch (error) {
      setFailure(failureOf(error).message || t('serial.record.noAnswer'))
    } finally {
      setBusy(false)
    }
  }
  return { add, busy, failure }
}

function AddButton({ busy, onFiles }: { busy: boolean; onFiles: (files: File[]) => Promise<void> }) {
  const t = useText()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('serial.files.add')}
        onChange={(event) => {
          const chosen = [...(event.currentTarget.files ?? [])]
          event.currentTarget.value = ''
          void onFiles(chosen)
        }}
      />
      <Button
        className="tw-no-print"
        size="compact-sm"
        variant="subtle"
        loading={busy}
        leftSection={<Icon name="upload" size={14} />}
        onClick={() => input.current?.click()}
      >
        {t('serial.files.add')}
      </Button>
    </>
  )
}

function Pictures({ files }: { files: readonly FileEntry[] }) {
  const t = useText()
  const [shown, setShown] = useState<FileEntry>()
  if (files.length === 0) return null
  return (
    <>
      <ul className="tw-unit-pictures">
        {files.map((file) => (
          <li key={file.path}>
            <button
              type="button"
              onClick={() => setShown(file)}
              aria-label={t('serial.files.show', { name: file.name })}
            >
              <img src={mediaUrl(file.path) ?? ''} alt="" loading="lazy" />
              <span className="tw-unit-picture-name">{file.name}</span>
            </button>
          </li>
        ))}
      </ul>
      {shown && (
        <Dialog onClose={() => setShown(undefined)} title={shown.name} size="min(1100px, 96vw)">
          <img className="tw-unit-picture" src={mediaUrl(shown.path) ?? ''} alt={shown.name} />
        </Dialog>
      )}
    </>
  )
}

function FileLine({ file, view }: { file: FileEntry; view: UnitView }) {
  const formats = useFormats()
  const url = mediaUrl(file.path)
  const field = view.fields.find(({ form_field_key: key }) => key !== null && key === file.subfolder)
  return (
    <li>
      <Icon name="file" />
      <span>
        {url ? (
          <a href={url} target="_blank" rel="noreferrer">
            {file.name}
          </a>
        ) : (
          file.name
        )}
        {field?.label && <span className="tw-unit-later"> {field.label}</span>}
      </span>
      <span className="tw-unit-file-size">{formats.bytes(file.size)}</span>
      <span className="tw-unit-part-when">
        <Moment at={file.created} as="date" /> {file.user_key && view.people?.get(file.user_key)}
      </span>
    </li>
  )
}
