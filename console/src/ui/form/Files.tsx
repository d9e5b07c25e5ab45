import { useId, useRef, useState } from 'react'
import { useFormats, useText } from '@/i18n'
import { failureWords } from '../failure-words'
import { Icon } from '../icons'
import { addFiles } from './adding'
import { type InputProps, LabelText, More } from './Inputs'
import { type Field, type FileRef, filesIn } from './values'

/** Stores files where the form's record keeps them, and says under what names. */
export type Upload = (files: readonly File[], field: Field) => Promise<readonly FileRef[]>

/** Files: what is there, and buttons that add a file or take a picture. */
export function FilesAnswer(props: InputProps & { upload: Upload | undefined }) {
  const { field, draft, onChange, error, upload } = props
  const t = useText()
  const formats = useFormats()
  const id = useId()
  const files = filesIn(draft)
  const [note, setNote] = useState('')
  // What another upload has changed counts at once, before it is shown.
  const latest = useRef(files)
  latest.current = files
  const change = (next: readonly FileRef[]) => {
    latest.current = next
    onChange(next)
  }
  const add = async (list: FileList | null) => {
    const chosen = [...(list ?? [])]
    if (chosen.length === 0 || upload === undefined) return
    setNote(t('ui.form.files.sending', { name: chosen.map(({ name }) => name).join(', ') }))
    try {
      await addFiles(
        () => upload(chosen, field),
        () => latest.current,
        change,
      )
      setNote('')
    } catch (failure) {
      setNote(failureWords(t, failure))
    }
  }
  return (
    <fieldset className="tw-form-field tw-form-choices" aria-describedby={`${id}-more`}>
      <legend>
        <LabelText field={field} />
      </legend>
      <ul className="tw-form-files">
        {files.map((file) => (
          <li key={file.name}>
            <Icon name="file" size={14} />
            <span>{file.name}</span>
            <span className="tw-form-hint">{formats.bytes(file.size)}</span>
            <button
              type="button"
              className="tw-form-icon"
              aria-label={t('ui.form.remove', { name: file.name })}
              onClick={() => change(files.filter((one) => one !== file))}
            >
              <Icon name="cross" />
            </button>
          </li>
        ))}
      </ul>
      {files.length === 0 && <p className="tw-form-hint">{t('ui.form.files.none')}</p>}
      {upload && (
        <div className="tw-form-options">
          <FileButton label={t('ui.form.files.add')} icon="plus" onFiles={add} />
          <FileButton label={t('ui.form.files.camera')} icon="camera" camera onFiles={add} />
        </div>
      )}
      <p className="tw-form-hint" role="status">
        {note}
      </p>
      <More field={field} error={error} id={`${id}-more`} />
    </fieldset>
  )
}

interface FileButtonProps {
  readonly label: string
  readonly icon: 'plus' | 'camera'
  readonly camera?: boolean
  readonly onFiles: (files: FileList | null) => Promise<void>
}

function FileButton({ label, icon, camera = false, onFiles }: FileButtonProps) {
  return (
    <label className="tw-form-option tw-form-file">
      <input
        type="file"
        multiple={!camera}
        accept={camera ? 'image/*' : undefined}
        capture={camera ? 'environment' : undefined}
        onChange={async (event) => {
          const input = event.currentTarget
          await onFiles(input.files)
          input.value = ''
        }}
      />
      <span>
        <Icon name={icon} size={14} />
        {label}
      </span>
    </label>
  )
}
