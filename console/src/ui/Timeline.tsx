import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { useFormats, useText } from '@/i18n'
import { byDay } from './days'
import { Icon, type IconName } from './icons'
import { Moment } from './Moment'
import type { Tone } from './states'
import './Timeline.css'

export interface TimelineEntry {
  readonly id: string
  readonly at: string
  /** One line: what happened. */
  readonly title: ReactNode
  /** Who did it, as people know them. */
  readonly who?: string | undefined
  /** What else is known, below the line. */
  readonly detail?: ReactNode
  readonly icon?: IconName
  readonly tone?: Tone
}

interface TimelineProps {
  readonly entries: readonly TimelineEntry[]
  /** Fetches earlier ones; shows a button below. */
  readonly onMore?: (() => void) | undefined
  readonly loadingMore?: boolean
}

/** What happened, newest first, by day. */
export function Timeline({ entries, onMore, loadingMore = false }: TimelineProps) {
  const t = useText()
  const formats = useFormats()
  return (
    <div className="tw-timeline">
      {byDay(entries).map(({ day, entries: list }) => (
        <div key={day}>
          <h3>{formats.day(day)}</h3>
          <ol>
            {list.map((entry) => (
              <TimelineLine entry={entry} key={entry.id} />
            ))}
          </ol>
        </div>
      ))}
      {onMore && (
        <Button variant="subtle" loading={loadingMore} onClick={onMore}>
          {t('ui.timeline.more')}
        </Button>
      )}
    </div>
  )
}

function TimelineLine({ entry }: { entry: TimelineEntry }) {
  const t = useText()
  return (
    <li data-tone={entry.tone ?? 'todo'}>
      <span className="tw-timeline-icon">
        <Icon name={entry.icon ?? 'todo'} size={14} />
      </span>
      <div className="tw-timeline-body">
        <div className="tw-timeline-title">{entry.title}</div>
        {entry.detail && <div className="tw-timeline-detail">{entry.detail}</div>}
      </div>
      <div className="tw-timeline-when">
        <Moment at={entry.at} as="time" />
        {entry.who && <span>{t('ui.timeline.by', { name: entry.who })}</span>}
      </div>
    </li>
  )
}
