import { useQuery } from '@tanstack/react-query'
import { shippedQuery } from '@/areas/trace/shipped'
import { useText } from '@/i18n'
import { useSession } from '@/session'
import { Code } from '@/ui/Code'
import { Go } from '@/ui/Go'
import { Icon, type IconName } from '@/ui/icons'
import { Section } from '@/ui/Section'
import { StatusMark } from '@/ui/StatusMark'
import { issueState, jobState, orderState } from '@/ui/states'
import { addressOf, isThere, type LinkedThings, type LinkType, nameOf, type ThingLink } from './about'
import { Row, Rows } from './Rows'

const ICONS: Readonly<Record<LinkType, IconName>> = {
  serial: 'serial',
  product: 'product',
  work_order: 'order',
  issue: 'issue',
  task: 'task',
  job: 'panel',
  phase: 'plan',
  operation: 'plan',
  user: 'person',
  project: 'link',
}

/** Codes stand in the face of codes; titles and names do not. */
const TITLED: ReadonlySet<LinkType> = new Set(['issue', 'phase', 'operation', 'user', 'project'])

interface LinksProps {
  readonly title: string
  readonly links: readonly ThingLink[]
  readonly things: LinkedThings
}

/** What a thing is about: each with its kind, its name, its state, and the way to it. */
export function Links({ title, links, things }: LinksProps) {
  const t = useText()
  const { can } = useSession()
  const released = things.serials.flatMap(({ _key, state }) => (state === 'released' ? [_key] : []))
  const shipped = useQuery({ ...shippedQuery(released), enabled: released.length > 0 && can('trace:read') }).data
  const shown = links.filter((link) => isThere(link, things))
  if (shown.length === 0) return null
  return (
    <Section title={title}>
      <Rows>
        {shown.map((link) => (
          <Row
            key={`${link.type}/${link.key}`}
            icon={<Icon name={ICONS[link.type]} />}
            first={<span className="tw-glance-about">{t(`thing.link.${link.type}`)}</span>}
            end={<Mark link={link} things={things} shipped={shipped} />}
          >
            <Subject link={link} things={things} />
          </Row>
        ))}
      </Rows>
    </Section>
  )
}

function Subject({ link, things }: { link: ThingLink; things: LinkedThings }) {
  const t = useText()
  const to = addressOf(link, things)
  const code = link.code ?? t('thing.noCode')
  const name = nameOf(link, things)
  const titled = TITLED.has(link.type)
  return (
    <>
      {titled && (to === undefined ? code : <Go to={to}>{code}</Go>)}
      {!titled && (
        <Code bare to={to}>
          {code}
        </Code>
      )}
      {name !== undefined && <span className="tw-glance-about"> {name}</span>}
    </>
  )
}

interface MarkProps {
  readonly link: ThingLink
  readonly things: LinkedThings
  readonly shipped: ReadonlySet<string> | undefined
}

function Mark({ link: { type, key }, things, shipped }: MarkProps) {
  if (type === 'serial') {
    if (shipped?.has(key)) return <StatusMark of="place" state="shipped" />
    const serial = things.serials.find(({ _key }) => _key === key)
    return serial && <StatusMark of="serial" state={serial.state} />
  }
  if (type === 'issue') {
    const issue = things.issues.find(({ _key }) => _key === key)
    return issue && <StatusMark of="issue" state={issueState(issue)} />
  }
  if (type === 'task') {
    const task = things.tasks.find(({ _key }) => _key === key)
    return task && <StatusMark of="task" state={task.status} />
  }
  if (type === 'job') {
    return things.job?._key === key && <StatusMark of="job" state={jobState(things.job)} />
  }
  if (type === 'work_order') {
    const order = things.orders.find(({ _key }) => _key === key)
    // Why nobody works on a started one, its jobs tell, and they are not here.
    const isKnown = order !== undefined && (order.status !== 'started' || order.active)
    return isKnown && <StatusMark of="order" state={orderState({ ...order, jobs: [] })} />
  }
  return null
}
