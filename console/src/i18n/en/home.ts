import type { Messages } from '../messages'

const home = {
  'hello.morning': 'Good morning, {name}',
  'hello.afternoon': 'Good afternoon, {name}',
  'hello.evening': 'Good evening, {name}',

  'head.calm': 'Nothing is waiting for you.',
  'head.running': { one: '{count} of your jobs running', other: '{count} of your jobs running' },
  'head.ready': { one: '{count} of your jobs ready', other: '{count} of your jobs ready' },
  'head.issues': { one: '{count} critical issue open', other: '{count} critical issues open' },
  'head.late': { one: '{count} order late', other: '{count} orders late' },
  'head.atRisk': { one: '{count} order at risk', other: '{count} orders at risk' },
  'head.overdue': { one: '{count} task overdue', other: '{count} tasks overdue' },
  'head.tasks': { one: '{count} task for you', other: '{count} tasks for you' },
  'head.counts': { one: '{count} count running', other: '{count} counts running' },

  due: 'due',
  further: { one: 'and {count} more', other: 'and {count} more' },

  'queue.title': 'My queue',
  'queue.more': 'Operator panel',
  'queue.ready': 'Ready',
  'queue.expected': 'Expected',
  'queue.resume': 'Resume',
  'queue.start': 'Start',
  'queue.none': 'No job is assigned to you. A planner assigns jobs; you can also take one by scanning its order.',
  'queue.wait': 'Nothing to do yet: your jobs wait for the phase before them.',

  'tasks.title': 'My tasks',
  'tasks.overdue': 'Overdue',
  'tasks.none': 'You have no open task.',

  'issues.title': 'Open critical issues',
  'issues.none': 'No critical issue is open.',
  'issues.untitled': 'Issue without a title',
  'issues.today': 'today',
  'issues.days': { one: '{count} day', other: '{count} days' },
  'issues.age.older': { one: '{count} older than a week', other: '{count} older than a week' },
  'issues.age.week': { one: '{count} of this week', other: '{count} of this week' },
  'issues.age.today': { one: '{count} of today', other: '{count} of today' },

  'records.title': 'Incomplete history records',
  'records.none': 'All these records are complete.',
  'records.noUnits': 'No unit has left production yet. Records of finished units are checked here.',
  'records.others': { one: 'and {count} thing more', other: 'and {count} things more' },
  'records.checking': 'Checking {done} of {total} units…',
  'records.checked': {
    one: 'Checked: the last finished unit, of {total}.',
    other: 'Checked: the last {count} finished units, of {total}.',
  },
  'records.more': 'Check more',

  'orders.title': 'Orders late or at risk',
  'orders.more': 'Production plan',
  'orders.none': {
    one: 'The one open order is on time.',
    other: 'All {count} open orders are on time.',
  },
  'orders.noOrders': 'No order is open.',
  'orders.progress': 'Progress of {code}',

  'counts.title': 'Running counts',
  'counts.none': 'No count is running.',
  'counts.planned': 'Planned',
  'counts.started': 'Counting',
  'counts.completed': 'To be reviewed',
  'counts.processing': 'Correcting stock',
  'counts.applied': 'Applied',
  'counts.canceled': 'Canceled',
  'counts.mine': 'You count',
  'counts.others': { one: 'and {count} more', other: 'and {count} more' },
  'counts.share': '{share} counted',
  'counts.coverage': 'How much of {code} is counted',

  'noRights.title': 'Your account has no rights yet',
  'noRights.text': 'Ask an administrator for a role: operator, planner or quality, for example.',
} as const satisfies Messages

export default home
