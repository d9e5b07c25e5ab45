import type { Messages } from '../messages'

/** What a work order is marked with: how far it is, lateness, risk, issues, and when it is due. */
const marks = {
  made: '{done} of {total} made',
  passed: '{done} of {total} passed',
  work: '{share} of the work done',
  progress: 'Progress of {order}, {phase}',
  priority: 'Priority',
  critical: 'Critical issue',
  late: { one: '{count} day late', other: '{count} days late' },
  lateToday: 'Late',
  risk: 'May be late',
  riskUntil: 'May be late: at this pace until {time}',
  issues: { one: '{count} open issue', other: '{count} open issues' },
  scrap: '{count} scrapped',
  unassigned: { one: '{count} job without operator', other: '{count} jobs without operator' },
  'due.none': 'No due date',
  'due.by': 'Due {date}',
  'due.today': 'today',
  'due.tomorrow': 'tomorrow',
  'due.in': { one: 'in {count} day', other: 'in {count} days' },
  'due.yesterday': 'yesterday',
  'due.ago': { one: '{count} day ago', other: '{count} days ago' },
} as const satisfies Messages

export default marks
