import { useQuery } from '@tanstack/react-query'
import { api, bare, type Schemas } from '@/api'
import { useText } from '@/i18n'
import { useLive } from '@/live'
import { Code } from '@/ui/Code'
import { Empty } from '@/ui/Empty'
import { Go } from '@/ui/Go'
import { Icon } from '@/ui/icons'
import { LoadFailed } from '@/ui/LoadFailed'
import { PageHead } from '@/ui/PageHead'
import { Quantity } from '@/ui/Quantity'
import { Section } from '@/ui/Section'
import { PageSkeleton } from '@/ui/Skeletons'
import { ToneMark } from '@/ui/StatusMark'
import { pageOf } from '../kinds'
import type { GlanceProps } from './index'

type Content = Schemas['PositionContent']
type Contents = Schemas['PositionContents']

const SHOWN = 200

function ContentLine({ content }: { content: Content }) {
  const t = useText()
  if (content.type === 'position') {
    return (
      <li>
        <Icon name="position" />
        <Code to={content.position_key === null ? undefined : pageOf('position', content.position_key)}>
          {content.code ?? ''}
        </Code>
        <span className="tw-glance-about">{t('search.thing.position')}</span>
      </li>
    )
  }
  const unit = content.serial_key !== null
  const to = unit ? pageOf('serial', content.serial_key ?? '') : pageOf('product', content.product_key ?? '')
  return (
    <li>
      <Icon name={unit ? 'serial' : 'product'} />
      <Code to={to}>{(unit ? content.serial_code : content.product_code) ?? ''}</Code>
      <span className="tw-glance-about">{content.product_description ?? content.product_code}</span>
      <Quantity value={content.quantity} />
    </li>
  )
}

function Path({ path }: { path: Contents['path'] }) {
  return (
    <span className="tw-glance-path">
      {path.map(({ position_key, position_code }, at) => (
        <span key={position_key}>
          {at > 0 && <span aria-hidden="true">› </span>}
          <Go to={pageOf('position', position_key)}>{position_code}</Go>
        </span>
      ))}
    </span>
  )
}

export function PositionGlance({ of: key, head: Head = PageHead }: GlanceProps) {
  const t = useText()
  const query = useQuery({
    queryKey: ['inventory', 'position', key],
    queryFn: ({ signal }) => {
      const params = { path: { position_key: key }, query: { limit: SHOWN } }
      return bare(api.GET('/position/{position_key}', { params, signal }))
    },
  })
  useLive(['inventory'])
  if (query.data === undefined) {
    return query.isError ? <LoadFailed error={query.error} onRetry={query.refetch} /> : <PageSkeleton />
  }
  const { position, path, contents } = query.data
  const above = path.filter(({ position_key }) => position_key !== key)
  return (
    <>
      <Head
        title={position.code}
        shown={<Code>{position.code}</Code>}
        trail={above.length > 0 ? <Path path={above} /> : t('search.thing.position')}
        mark={
          <>
            {!position.fixed && (
              <ToneMark tone="todo" icon="shipped">
                {t('search.detail.carrier')}
              </ToneMark>
            )}
            {!position.available && (
              <ToneMark tone="waiting" icon="lock">
                {t('search.position.blocked')}
              </ToneMark>
            )}
          </>
        }
      />
      <Section title={t('search.position.holds')} count={contents.length}>
        {contents.length === 0 ? (
          <Empty icon="position" title={t('search.position.empty')} />
        ) : (
          <ul className="tw-glance-list">
            {contents.map((content) => (
              <ContentLine key={content._key} content={content} />
            ))}
          </ul>
        )}
        {contents.length === SHOWN && <p className="tw-search-read">{t('search.position.more', { count: SHOWN })}</p>}
      </Section>
    </>
  )
}
