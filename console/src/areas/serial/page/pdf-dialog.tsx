import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { send } from '@/api'
import { useText } from '@/i18n'
import { Dialog } from '@/ui/Dialog'
import { Icon } from '@/ui/icons'
import { LoadFailed } from '@/ui/LoadFailed'
import { Lines } from '@/ui/Skeletons'

interface PdfDialogProps {
  readonly path: string
  readonly name: string
  readonly onClose: () => void
  readonly onDownload: () => void
}

/** A document of the service as a local address. The service sends it as a download, so a plain link would not show it. */
function useDocument(path: string) {
  const query = useQuery({
    queryKey: ['document', path],
    queryFn: async ({ signal }) => (await send(new Request(`/api${path}`, { signal }))).blob(),
    staleTime: 0,
    gcTime: 0,
  })
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (query.data === undefined) return
    const made = URL.createObjectURL(new Blob([query.data], { type: 'application/pdf' }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [query.data])
  return { url, query }
}

/** Shows a PDF over the page. */
export function PdfDialog({ path, name, onClose, onDownload }: PdfDialogProps) {
  const t = useText()
  const { url, query } = useDocument(path)
  return (
    <Dialog onClose={onClose} title={name} size="min(1100px, 96vw)">
      <div className="tw-unit-pdf">
        {url === undefined && !query.isError && (
          <>
            <p className="tw-unit-later">{t('serial.record.making')}</p>
            <Lines count={8} />
          </>
        )}
        {query.isError && <LoadFailed error={query.error} onRetry={query.refetch} />}
        {url !== undefined && <iframe title={name} src={url} />}
      </div>
      <div className="tw-unit-buttons">
        {url !== undefined && (
          <Button component="a" variant="default" href={url} target="_blank" rel="noreferrer">
            {t('serial.record.newTab')}
          </Button>
        )}
        <Button variant="default" leftSection={<Icon name="download" />} onClick={onDownload}>
          {t('serial.record.pdf')}
        </Button>
      </div>
    </Dialog>
  )
}
