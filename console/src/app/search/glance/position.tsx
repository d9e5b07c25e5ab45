import { useQuery } from '@tanstack/react-query'
import { api, bare, type Schemas } from '@/api'
import { useText } from '@/i18n'
import { useLive } from '@/live'
import { Code } from '@/ui/Code'
import { Empty } from '@/ui/Empty'
import { type Fact, Facts } from '@/ui/Facts'
import { Go } from '@/ui/Go'
import { Icon } from '@/ui/icons'
import { LoadFailed } from '@/ui/LoadFailed'
import { Quantity } from '@/ui/Quantity'
import { Section } from '@/ui/Section'
import { PageSkeleton } from '@/ui/Skeletons'
import { ToneMark } from '@/ui/StatusMark'
import { pageOf } from '../kinds'
import { ThingHead } from './head'
import type { GlanceProps } from './index'
import { Row, Rows } from './Rows'

type Content = Schemas['PositionContent']
type Contents = Schemas['PositionContents']

const SHOWN = 200

function ContentRow({ content }: { content: Content }) {
  const t = useText()
  if (content.type === 'position') {
    const to = content.position_key === null ? undefined : pageOf('position', content.position_key)
    const carrier = content.position_fixed === false
    return (
      <Row
        icon={<Icon name="position" />}
        first={
          <Code bare to={to}>
            {content.code ?? ''}
          </Code>
        }
      >
        <span className="tw-glance-about">{carrier ? t('search.detail.carrier') : t('search.thing.position')}</span>
      </Row>
    )
  }
  const unit = content.serial_key !== null
  const to = unit ? pageOf('serial', content.serial_key ?? '') : pageOf('product', content.product_key ?? '')
  return (
    <Row
      icon={<Icon name={unit ? 'serial' : 'product'} />}
      first={
        <Code bare to={to}>
          {(unit ? content.serial_code : content.product_code) ?? ''}
        </Code>
      }
      end={<Quantity value={content.quantity} />}
      numeric
    >
      {unit && content.product_code && <Code bare>{content.product_code}</Code>}
      <span className="tw-glance-about"> {content.product_description}</span>
    </Row>
  )
}

/** Where it is: from the outermost position to the one around it. */
function Path({ path }: { path: Contents['path'] }) {
  return (
    <span className="tw-glance-path">
      {path.map(({ position_key, position_code }, at) => (
        <span key={position_key}>
          {at > 0 && <span aria-hidden="true">› </span>}
          <Go className="tw-code" to={pageOf('position', position_key)}>
            {position_code}
          </Go>
        </span>
      ))}
    </span>
  )
}

function Marks({ position }: { position: Contents['position'] }) {
  const t = useText()
  return (
    <>
      {position.deleted && (
        <ToneMark tone="scrapped" icon="deleted" look="tag">
          {t('thing.position.deleted')}
        </ToneMark>
      )}
      {!position.available && !position.deleted && (
        <ToneMark tone="waiting" icon="lock" look="tag">
          {t('thing.position.blocked')}
        </ToneMark>
      )}
    </>
  )
}

export function PositionGlance({ of: key, head: Head = ThingHead }: GlanceProps) {
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
  const tags = position.tags.map(({ name }) => name).join(', ')
  const facts: Fact[] = [
    { label: t('thing.position.in'), value: above.length > 0 && <Path path={above} /> },
    { label: t('thing.position.kind'), value: t(`thing.position.${position.fixed ? 'fixed' : 'carrier'}`) },
    { label: t('thing.position.stock'), value: t(`thing.position.${position.owned ? 'ours' : 'outside'}`) },
    { label: t('thing.fact.tags'), value: tags !== '' && tags },
  ]
  return (
    <>
      <Head
        title={position.code}
        shown={<Code>{position.code}</Code>}
        trail={t('search.thing.position')}
        mark={<Marks position={position} />}
      />
      <Facts facts={facts} look="line" />
      <Section title={t('thing.position.holds')} count={contents.length}>
        {contents.length === 0 ? (
          <Empty icon="position" title={t('thing.position.empty')} />
        ) : (
          <Rows>
            {contents.map((content) => (
              <ContentRow key={content._key} content={content} />
            ))}
          </Rows>
        )}
        {contents.length === SHOWN && <p className="tw-search-read">{t('thing.position.more', { count: SHOWN })}</p>}
      </Section>
    </>
  )
}
