import { Button, Menu } from '@mantine/core'
import { useState } from 'react'
import { downloadFile } from '@/api'
import { useText } from '@/i18n'
import { failureWords } from '@/ui/failure-words'
import { Icon } from '@/ui/icons'
import { exportPath, type ListSearch } from './search'

/** The catalogue as a file, with the filters of the list; the import takes it back. */
export function ExportMenu({ search }: { search: ListSearch }) {
  const t = useText()
  const [busy, setBusy] = useState(false)
  const [failed, setFailed] = useState('')
  const run = async (format: 'csv' | 'xlsx') => {
    setBusy(true)
    setFailed('')
    try {
      await downloadFile(exportPath(search, format), `products.${format}`)
    } catch (error) {
      setFailed(t('product.list.export.failed', { message: failureWords(t, error) }))
    }
    setBusy(false)
  }
  return (
    <div className="tw-product-export">
      <span role="status">{busy ? t('product.list.export.running') : failed}</span>
      <Menu>
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="download" />} disabled={busy}>
            {t('product.list.export')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => run('csv')}>{t('product.list.export.csv')}</Menu.Item>
          <Menu.Item onClick={() => run('xlsx')}>{t('product.list.export.xlsx')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}
