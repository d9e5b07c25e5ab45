import type en from '../en/marks'
import type { Translation } from '../messages'

const marks: Translation<typeof en> = {
  made: '{done} di {total} prodotti',
  passed: '{done} di {total} buoni',
  work: '{share} del lavoro svolto',
  progress: 'Avanzamento di {order}, {phase}',
  priority: 'Prioritario',
  critical: 'Problema critico',
  late: { one: '{count} giorno di ritardo', other: '{count} giorni di ritardo' },
  lateToday: 'In ritardo',
  risk: 'Rischia il ritardo',
  riskUntil: 'Rischia il ritardo: a questo ritmo finisce {time}',
  issues: { one: '{count} problema aperto', other: '{count} problemi aperti' },
  scrap: 'scarti: {count}',
  unassigned: { one: '{count} lavoro senza operatore', other: '{count} lavori senza operatore' },
  'due.none': 'Senza scadenza',
  'due.by': 'Scadenza: {date}',
  'due.today': 'oggi',
  'due.tomorrow': 'domani',
  'due.in': { one: 'tra {count} giorno', other: 'tra {count} giorni' },
  'due.yesterday': 'ieri',
  'due.ago': { one: '{count} giorno fa', other: '{count} giorni fa' },
}

export default marks
