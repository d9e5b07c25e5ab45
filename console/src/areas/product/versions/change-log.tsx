import { useQuery } from '@tanstack/react-query'
import { useText } from '@/i18n'
import { fullName, useSession } from '@/session'
import { LoadFailed } from '@/ui/LoadFailed'
import { Lines } from '@/ui/Skeletons'
import { Timeline } from '@/ui/Timeline'
import { changesQuery, type FullProduct, peopleQuery } from '../queries'
import { about, didWhat } from './data'

/** What people changed about a product in a span of time, by the audit log. */
export function ChangeLog({ product, span }: { product: FullProduct; span: readonly [string, string] | null }) {
  const t = useText()
  const { can } = useSession()
  const allowed = can('audit:log:read') && span !== null
  const [from, to] = span ?? ['', '']
  const changes = useQuery({ ...changesQuery(product._key, from, to), enabled: allowed })
  const people = useQuery({ ...peopleQuery, enabled: allowed && can('org:user:read') })
  if (!allowed) {
    return <p className="tw-product-note">{t('product.versions.data.noRight')}</p>
  }
  if (changes.isPending) return <Lines count={3} />
  if (changes.isError) return <LoadFailed error={changes.error} onRetry={() => changes.refetch()} />
  const nameOf = (key: string | null, username: string | null) => {
    const person = people.data?.find(({ _key }) => _key === key)
    return person === undefined ? (username ?? undefined) : fullName(person)
  }
  const entries = changes.data
    .filter(({ operation, time }) => operation !== 'replace_bom' && time !== from)
    .reverse()
    .map((entry) => ({
      id: entry._key,
      at: entry.time,
      title: didWhat(t, entry),
      detail: about(t, entry) || undefined,
      who: nameOf(entry.user_key, entry.username),
    }))
  if (entries.length === 0) return <p className="tw-product-note">{t('product.versions.data.none')}</p>
  return (
    <>
      <p className="tw-product-note">{t('product.versions.data.log')}</p>
      <Timeline entries={entries} />
    </>
  )
}
