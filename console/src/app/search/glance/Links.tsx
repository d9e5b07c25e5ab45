import { useText } from '@/i18n'
import { Code } from '@/ui/Code'
import { Icon, type IconName } from '@/ui/icons'
import { Section } from '@/ui/Section'

type LinkType =
  | 'product'
  | 'operation'
  | 'phase'
  | 'work_order'
  | 'user'
  | 'job'
  | 'serial'
  | 'project'
  | 'issue'
  | 'task'

export interface ThingLink {
  readonly type: LinkType
  readonly key: string
  readonly code: string | null
}

const LOOKS: Readonly<Record<LinkType, { icon: IconName; page?: string }>> = {
  serial: { icon: 'serial', page: '/serial' },
  product: { icon: 'product', page: '/product' },
  work_order: { icon: 'order', page: '/order' },
  issue: { icon: 'issue', page: '/issue' },
  task: { icon: 'task', page: '/task' },
  job: { icon: 'panel' },
  phase: { icon: 'plan' },
  operation: { icon: 'plan' },
  user: { icon: 'person' },
  project: { icon: 'link' },
}

/** What a thing is about: each with its kind, and the way to it. */
export function Links({ title, links }: { title: string; links: readonly ThingLink[] }) {
  const t = useText()
  const shown = links.filter(({ code }) => code !== null)
  if (shown.length === 0) return null
  return (
    <Section title={title}>
      <ul className="tw-glance-list">
        {shown.map(({ type, key, code }) => {
          const { icon, page } = LOOKS[type]
          const to = page && `${page}/${encodeURIComponent(key)}`
          return (
            <li key={`${type}/${key}`}>
              <Icon name={icon} />
              <Code to={to}>{code ?? ''}</Code>
              <span className="tw-glance-about">{t(`search.link.${type}`)}</span>
            </li>
          )
        })}
      </ul>
    </Section>
  )
}
