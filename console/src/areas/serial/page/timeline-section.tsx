import { ActionIcon } from '@mantine/core'
import { useState } from 'react'
import { useFormats, useText } from '@/i18n'
import { Empty } from '@/ui/Empty'
import { Icon } from '@/ui/icons'
import { LoadFailed } from '@/ui/LoadFailed'
import { Section } from '@/ui/Section'
import { Lines } from '@/ui/Skeletons'
import { Timeline, type TimelineEntry } from '@/ui/Timeline'
import { HappeningLine } from './happening'
import type { Happening } from './model/happenings'
import type { UnitView } from './view'

/** So many at first, and more at each asking. */
const PAGE = 40

interface TimelineSectionProps {
  readonly view: UnitView
  readonly onLook: (time: number) => void
}

/** What happened to the unit, up to the moment that the page looks at. */
export function TimelineSection({ view, onLook }: TimelineSectionProps) {
  const t = useText()
  const [shown, setShown] = useState(PAGE)
  const { eventsQuery: query, time, happenings } = view
  const past = time === undefined ? happenings : happenings.filter((one) => one.time <= time)
  const later = happenings.length - past.length
  const entries = past
    .slice(-shown)
    .reverse()
    .map((one) => entryOf(one, view, onLook))
  return (
    <Section title={t('serial.timeline.title')} count={query.data ? past.length : undefined}>
      {query.isPending && <Lines count={6} />}
      {query.isError && <LoadFailed error={query.error} onRetry={query.refetch} />}
      {later > 0 && <p className="tw-unit-later">{t('serial.timeline.later', { count: later })}</p>}
      {query.data && past.length === 0 && <Empty icon="clock" title={t('serial.timeline.empty')} />}
      {entries.length > 0 && (
        <Timeline entries={entries} onMore={past.length > shown ? () => setShown(shown + PAGE) : undefined} />
      )}
    </Section>
  )
}

function entryOf(one: Happening, view: UnitView, onLook: (time: number) => void): TimelineEntry {
  const { headline, further, remark } = one
  const hasDetail = further.length > 0 || headline.note !== undefined || remark !== null
  return {
    id: one.id,
    at: one.at,
    icon: headline.icon,
    tone: headline.tone,
    who: view.people?.get(one.userKey),
    title: (
      <>
        <HappeningLine line={headline} view={view} /> {one.time !== view.time && <Look one={one} onLook={onLook} />}
      </>
    ),
    detail: hasDetail && (
      <>
        {headline.note && <p className="tw-unit-happening">{headline.note}</p>}
        {further.map((line) => (
          <p className="tw-unit-happening" key={JSON.stringify([line.key, line.slots])}>
            <HappeningLine line={line} view={view} />
            {line.note && line.note !== headline.note && <> – {line.note}</>}
          </p>
        ))}
        {remark && <p className="tw-unit-happening">{remark}</p>}
      </>
    ),
  }
}

function Look({ one, onLook }: { one: Happening; onLook: (time: number) => void }) {
  const t = useText()
  const formats = useFormats()
  const label = t('serial.timeline.look', { time: formats.dateTime(one.at) })
  return (
    <ActionIcon
      className="tw-unit-look tw-no-print"
      variant="subtle"
      size={24}
      aria-label={label}
      title={label}
      onClick={() => onLook(one.time)}
    >
      <Icon name="clock" size={14} />
    </ActionIcon>
  )
}
