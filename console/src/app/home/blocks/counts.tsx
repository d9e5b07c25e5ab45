import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '@/api'
import { ratio } from '@/api/decimal'
import { useFormats, useText } from '@/i18n'
import { useLive } from '@/live'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { Progress } from '@/ui/Progress'
import { Block, Calm, Row, Rows } from '../Block'
import { CountMark } from '../count-mark'
import { countingQuery, countsQuery } from '../queries'

type Count = Schemas['CountSession']

function Mine({ codes }: { codes: readonly string[] }) {
  const t = useText()
  return (
    <span>
      {t('home.counts.mine')}{' '}
      {codes.slice(0, 4).map((code, at) => [
        at > 0 && ', ',
        <Code bare key={code}>
          {code}
        </Code>,
      ])}
      {codes.length > 4 && ` ${t('home.counts.others', { count: codes.length - 4 })}`}
    </span>
  )
}

function CountRow({ count, mine }: { count: Count; mine: readonly string[] }) {
  const t = useText()
  const formats = useFormats()
  const covered = count.coverage_percentage ?? 0
  const share = t('home.counts.share', { share: formats.share(ratio(covered, 100)) })
  return (
    <Row
      to={`/count/${encodeURIComponent(count._key)}`}
      title={
        <>
          <Code bare>{count.code}</Code> <span className="tw-home-of">{count.description}</span>
        </>
      }
      about={mine.length > 0 ? <Mine codes={mine} /> : undefined}
      end={
        <span className="tw-home-pace">
          <CountMark status={count.status} />
          <span className="tw-home-covered">
            <Progress
              done={covered}
              total={100}
              label={t('home.counts.coverage', { code: count.code })}
              words={share}
              bare
            />
            <span className="tw-home-share">{share}</span>
          </span>
        </span>
      }
    />
  )
}

/** The counts that are under way, and my part in them. */
export function CountsBlock() {
  const t = useText()
  const { user_key } = useSession()
  const query = useQuery(countsQuery)
  const counting = useQuery(countingQuery(user_key))
  useLive(['inventory'])
  const mineIn = (count: Count) =>
    (counting.data ?? [])
      .filter((one) => one.inventory_count_session_key === count._key)
      .map((one) => one.target_data.code)
  return (
    <Block name="counts" title={t('home.counts.title')} count={query.data?.length} query={query}>
      {(counts) =>
        counts.length === 0 ? (
          <Calm icon="info">{t('home.counts.none')}</Calm>
        ) : (
          <Rows>
            {counts.map((count) => (
              <CountRow key={count._key} count={count} mine={mineIn(count)} />
            ))}
          </Rows>
        )
      }
    </Block>
  )
}
