import { Suspense } from 'react'
import { useText } from '@/i18n'
import { Empty } from '@/ui/Empty'
import { Go } from '@/ui/Go'
import { lately } from './later'
import { Loading } from './loading'
import { PageTitle } from './title'

const Shell = lately(() => import('./shell'))

/** An address that cannot be decoded matches no route at all, so that the frame is not there by itself. */
export function NotFoundInShell() {
  return (
    <Suspense fallback={<Loading />}>
      <Shell>
        <NotFound />
      </Shell>
    </Suspense>
  )
}

export function NotFound() {
  const t = useText()
  return (
    <div className="tw-page">
      <PageTitle>{t('frame.notFound.title')}</PageTitle>
      <h1 className="tw-hidden">{t('frame.notFound.title')}</h1>
      <Empty title={t('frame.notFound.title')} icon="unknown" action={<Go to="/">{t('frame.notFound.home')}</Go>}>
        {t('frame.notFound.text')}
      </Empty>
    </div>
  )
}
