import { Loader } from '@mantine/core'
import { useText } from '@/i18n'

/** While the code of a page comes. */
export function Loading() {
  const t = useText()
  return (
    <div className="tw-loading" role="status" aria-label={t('frame.loading')}>
      <Loader size="sm" />
    </div>
  )
}
