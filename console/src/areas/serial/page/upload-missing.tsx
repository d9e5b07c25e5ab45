import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { failureOf } from '@/api'
import { useText } from '@/i18n'
import { filesStored, storeFiles } from './store-files'

interface UploadMissingProps {
  readonly serialKey: string
  /** The form field whose value names the file. */
  readonly field: string
  readonly name: string
}

/** Stores a file in the place and under the name that a value gives it. */
export function UploadMissing({ serialKey, field, name }: UploadMissingProps) {
  const t = useText()
  const client = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const store = async (chosen: File) => {
    setBusy(true)
    setFailure(undefined)
    try {
      await storeFiles(serialKey, field, [new File([chosen], name, { type: chosen.type })])
      await filesStored(client, serialKey)
    } catch (error) {
      setFailure(failureOf(error).message || t('serial.record.noAnswer'))
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="tw-unit-upload tw-no-print">
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t('serial.help.file')}
        onChange={(event) => {
          const [chosen] = event.currentTarget.files ?? []
          event.currentTarget.value = ''
          if (chosen) void store(chosen)
        }}
      />
      <Button size="compact-sm" variant="default" loading={busy} onClick={() => input.current?.click()}>
        {t('serial.help.file')}
      </Button>
      {failure && <p role="alert">{failure}</p>}
    </div>
  )
}
