import { useFormats, useText } from '@/i18n'
import { dueDay } from '@/ui/days'
import { ToneMark } from '@/ui/StatusMark'
import { daysLeft, isLate, type Order, type Trouble } from './orders'

/** One mark for a thing that is wrong. */
export function TroubleMark({ trouble, look }: { trouble: Trouble; look?: 'plain' | 'tag' }) {
  const t = useText()
  const formats = useFormats()
  switch (trouble.kind) {
    case 'critical':
      return (
        <ToneMark tone="critical" icon="critical" look={look}>
          {t('marks.critical')}
        </ToneMark>
      )
    case 'late':
      return (
        <ToneMark tone="critical" icon="late" look={look}>
          {trouble.days === 0 ? t('marks.lateToday') : t('marks.late', { count: trouble.days })}
        </ToneMark>
      )
    case 'risk':
      return (
        <ToneMark tone="waiting" icon="late" look={look}>
          {look === 'tag' ? t('marks.riskUntil', { time: formats.relative(trouble.expected) }) : t('marks.risk')}
        </ToneMark>
      )
    case 'issues':
      return (
        <ToneMark tone="waiting" icon="issue" look={look}>
          {t('marks.issues', { count: trouble.count })}
        </ToneMark>
      )
    case 'scrap':
      return (
        <ToneMark tone="waiting" icon="scrapped" look={look}>
          {t('marks.scrap', { count: formats.decimal(trouble.quantity) })}
        </ToneMark>
      )
    case 'unassigned':
      return (
        <ToneMark tone="waiting" icon="person" look={look}>
          {t('marks.unassigned', { count: trouble.count })}
        </ToneMark>
      )
  }
}

/** How far away the due day is, in words. */
export function useDueWords() {
  const t = useText()
  return (due: string, now = new Date()): string => {
    const days = daysLeft(due, now)
    if (days === 0) return t('marks.due.today')
    if (days === 1) return t('marks.due.tomorrow')
    if (days === -1) return t('marks.due.yesterday')
    return days > 0 ? t('marks.due.in', { count: days }) : t('marks.due.ago', { count: -days })
  }
}

/** The due date of an order: how far away, and the day. */
export function DueDate({ order }: { order: Pick<Order, 'due_by' | 'on_time' | 'end'> }) {
  const t = useText()
  const formats = useFormats()
  const words = useDueWords()
  if (order.due_by === null) return <span className="tw-wo-due-none">{t('marks.due.none')}</span>
  const day = dueDay(order.due_by)
  return (
    <span className="tw-wo-due" data-late={isLate(order) || undefined}>
      <span className="tw-wo-due-far">{words(order.due_by)}</span>
      <time dateTime={order.due_by} title={formats.exact(day)}>
        {t('marks.due.by', { date: formats.date(day) })}
      </time>
    </span>
  )
}
