import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Schemas } from '@/api'
import { JobProgress } from '@/areas/production/job-progress'
import { bandOf } from '@/areas/production/panel/logic/bands'
import { useText } from '@/i18n'
import { useLive } from '@/live'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { useGo } from '@/ui/Go'
import { Icon } from '@/ui/icons'
import { Due } from '@/ui/Moment'
import { StatusMark, ToneMark } from '@/ui/StatusMark'
import { jobState } from '@/ui/states'
import { Block, Calm, Rest, ROWS, Row, Rows } from '../Block'
import { queueQuery } from '../queries'
import { actOf, byBand } from '../queue'

type Job = Schemas['Job']

function jobPage(job: Job): string {
  return `/panel/job/${encodeURIComponent(job._key)}`
}

function State({ job }: { job: Job }) {
  return (
    <>
      <Stage job={job} />
      {job.critical && <StatusMark of="issue" state="critical" />}
    </>
  )
}

function Stage({ job }: { job: Job }) {
  const t = useText()
  const band = bandOf(job, new Date())
  if (band === 'expected')
    return (
      <ToneMark tone="todo" icon="waiting">
        {t('home.queue.expected')}
      </ToneMark>
    )
  if (job.stage === 'created')
    return (
      <ToneMark tone="todo" icon="play">
        {t('home.queue.ready')}
      </ToneMark>
    )
  return <StatusMark of="job" state={jobState(job)} />
}

/** The next job, with the one button that an operator needs. */
function Next({ job }: { job: Job }) {
  const t = useText()
  const go = useGo()
  const act = t(actOf(job))
  return (
    <div className="tw-home-next">
      <div className="tw-home-next-words">
        <State job={job} />
        <p className="tw-home-next-title">{job.phase_alias}</p>
        <p className="tw-home-about">
          <Code bare>{job.product_code}</Code> {job.product_description}
        </p>
        <div className="tw-home-about">
          <Code bare>{job.wo_code}</Code>
          <JobProgress job={job} />
        </div>
      </div>
      <Button
        size="lg"
        leftSection={<Icon name="play" />}
        onClick={() => go(jobPage(job))}
        aria-label={`${act}: ${job.phase_alias}, ${job.wo_code}`}
      >
        {act}
      </Button>
    </div>
  )
}

function Jobs({ jobs }: { jobs: readonly Job[] }) {
  const t = useText()
  const [first, ...others] = byBand(jobs, new Date())
  if (first === undefined) return <Calm>{t('home.queue.none')}</Calm>
  const nextUp = bandOf(first, new Date()) !== 'expected'
  const rows = nextUp ? others : [first, ...others]
  const shown = rows.slice(0, ROWS)
  return (
    <>
      {nextUp ? <Next job={first} /> : <Calm icon="waiting">{t('home.queue.wait')}</Calm>}
      <Rows>
        {shown.map((job) => (
          <Row
            key={job._key}
            to={jobPage(job)}
            title={job.phase_alias}
            about={
              <>
                <Code bare>{job.wo_code}</Code> · <Code bare>{job.product_code}</Code>
                {job.due_by && (
                  <>
                    {' · '}
                    {t('home.due')} <Due at={job.due_by} />
                  </>
                )}
              </>
            }
            end={<State job={job} />}
          />
        ))}
      </Rows>
      {rows.length > shown.length && <Rest>{t('home.further', { count: rows.length - shown.length })}</Rest>}
    </>
  )
}

/** What I work on, and what comes next. */
export function QueueBlock() {
  const t = useText()
  const { user_key } = useSession()
  const query = useQuery(queueQuery(user_key))
  useLive(['production'])
  const count = query.data?.filter(({ stage }) => stage !== 'closed').length
  return (
    <Block
      name="queue"
      title={t('home.queue.title')}
      count={count}
      query={query}
      more={{ to: '/panel', label: t('home.queue.more') }}
    >
      {(jobs) => <Jobs jobs={jobs} />}
    </Block>
  )
}
