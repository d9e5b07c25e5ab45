import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { Schemas } from '@/api'
import { useFormats, useText } from '@/i18n'
import { useLive } from '@/live'
import { Code } from '@/ui/Code'
import { Icon } from '@/ui/icons'
import { ageOf, countAges, daysSince } from '../ages'
import { Block, Calm, ROWS, Row, Rows } from '../Block'
import { issuesQuery } from '../queries'

type Issue = Schemas['Issue']

/** The codes of what an issue is about, each once. */
function aboutOf(issue: Issue): string[] {
  const coded = issue.linked_to.filter(({ type }) => type === 'serial' || type === 'work_order' || type === 'product')
  return [...new Set(coded.flatMap(({ code }) => code ?? []))].slice(0, 3)
}

function About({ issue }: { issue: Issue }) {
  const parts: ReactNode[] = aboutOf(issue).map((code) => (
    <Code bare key={code}>
      {code}
    </Code>
  ))
  if (issue.issue_type_name) parts.push(issue.issue_type_name)
  return parts.map((part, at) => [at > 0 && ' · ', part])
}

function Age({ at }: { at: string }) {
  const t = useText()
  const formats = useFormats()
  const now = Date.now()
  const days = daysSince(at, now)
  return (
    <span className="tw-home-age" data-age={ageOf(at, now)} title={formats.exact(at)}>
      {days === 0 ? t('home.issues.today') : t('home.issues.days', { count: days })}
    </span>
  )
}

function Ages({ issues }: { issues: readonly Issue[] }) {
  const t = useText()
  const counts = countAges(
    issues.map(({ created }) => created),
    Date.now(),
  )
  const parts = (['older', 'week', 'today'] as const).filter((age) => counts[age] > 0)
  return (
    <p className="tw-home-sub">{parts.map((age) => t(`home.issues.age.${age}`, { count: counts[age] })).join(' · ')}</p>
  )
}

function List({ issues }: { issues: readonly Issue[] }) {
  const t = useText()
  const [all, setAll] = useState(false)
  if (issues.length === 0) return <Calm>{t('home.issues.none')}</Calm>
  const shown = all ? issues : issues.slice(0, ROWS)
  return (
    <>
      {issues.length > 1 && <Ages issues={issues} />}
      <Rows>
        {shown.map((issue) => (
          <Row
            key={issue._key}
            to={`/issue/${encodeURIComponent(issue._key)}`}
            lead={<Age at={issue.created} />}
            title={
              <>
                <Icon name="critical" className="tw-home-octagon" />{' '}
                {issue.title ?? issue.issue_type_name ?? t('home.issues.untitled')}
              </>
            }
            about={<About issue={issue} />}
          />
        ))}
      </Rows>
      {issues.length > shown.length && (
        <button type="button" className="tw-home-all" onClick={() => setAll(true)}>
          {t('home.further', { count: issues.length - shown.length })}
        </button>
      )}
    </>
  )
}

/** What stops us, and since when. */
export function IssuesBlock() {
  const t = useText()
  const query = useQuery(issuesQuery)
  useLive(['issue'])
  const total = query.data?.total ?? query.data?.rows.length
  return (
    <Block name="issues" title={t('home.issues.title')} count={total} query={query}>
      {({ rows }) => <List issues={rows} />}
    </Block>
  )
}
