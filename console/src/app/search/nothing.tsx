import { useQuery } from '@tanstack/react-query'
import { useText } from '@/i18n'
import type { HitKind } from '@/scan'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { Go } from '@/ui/Go'
import { type Found, findDeleted } from './find'
import { HitLinks } from './Hits'
import { KINDS, RIGHTS } from './kinds'
import { useNeighbours } from './use-find'

interface NothingProps {
  readonly text: string
  /** Only things of this kind were searched. */
  readonly kind: HitKind | undefined
}

/** Nothing has this code: what it may have been, and what to do. */
export function Nothing({ text, kind }: NothingProps) {
  const t = useText()
  const { can } = useSession()
  const deleted = useQuery({
    queryKey: ['serial', 'search', 'deleted', text],
    queryFn: ({ signal }) => findDeleted(text, signal),
    enabled: can('serial:read'),
  })
  const alike = useNeighbours(text, true)
  return (
    <section className="tw-nothing" aria-labelledby="nothing-title">
      <div role="status">
        <h2 id="nothing-title">
          {kind ? t('search.none.kind', { kind: t(`search.kind.${kind}`) }) : t('search.none.title')}
        </h2>
      </div>
      <p className="tw-nothing-code">
        <Code>{text}</Code>
      </p>
      <Some title={t('search.none.deleted')} hits={deleted.data ?? []} typed={text} />
      <Some title={t('search.none.alike')} hits={alike.data?.hits ?? []} typed={text} />
      <h3>{t('search.none.todo')}</h3>
      <Advice text={text} kind={kind} />
    </section>
  )
}

function Some({ title, hits, typed }: { title: string; hits: readonly Found[]; typed: string }) {
  if (hits.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <HitLinks id={title} hits={hits} typed={typed} />
    </>
  )
}

function Advice({ text, kind }: NothingProps) {
  const t = useText()
  const { can } = useSession()
  const hidden = KINDS.filter((one) => !can(RIGHTS[one]))
  return (
    <ul>
      {kind && (
        <li>
          <Go to={`/search?q=${encodeURIComponent(text)}`}>{t('search.none.everywhere')}</Go>
        </li>
      )}
      <li>{t('search.none.label')}</li>
      <li>{t('search.none.part')}</li>
      <li>{t('search.none.new')}</li>
      {hidden.length > 0 && (
        <li>{t('search.none.hidden', { kinds: hidden.map((one) => t(`search.kind.${one}`)).join(', ') })}</li>
      )}
    </ul>
  )
}
