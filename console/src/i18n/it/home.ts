import type en from '../en/home'
import type { Translation } from '../messages'

const home: Translation<typeof en> = {
  'hello.morning': 'Buongiorno, {name}',
  'hello.afternoon': 'Buon pomeriggio, {name}',
  'hello.evening': 'Buonasera, {name}',

  'head.calm': 'Non c’è nulla in attesa.',
  'head.running': { one: '{count} tuo lavoro in corso', other: '{count} tuoi lavori in corso' },
  'head.ready': { one: '{count} tuo lavoro pronto', other: '{count} tuoi lavori pronti' },
  'head.issues': { one: '{count} problema critico aperto', other: '{count} problemi critici aperti' },
  'head.late': { one: '{count} ordine in ritardo', other: '{count} ordini in ritardo' },
  'head.atRisk': { one: '{count} ordine a rischio', other: '{count} ordini a rischio' },
  'head.overdue': { one: '{count} attività scaduta', other: '{count} attività scadute' },
  'head.tasks': { one: '{count} attività per te', other: '{count} attività per te' },
  'head.counts': { one: '{count} inventario in corso', other: '{count} inventari in corso' },

  due: 'scadenza',
  further: { one: 'e {count} altro', other: 'e altri {count}' },

  'queue.title': 'La mia coda',
  'queue.more': 'Pannello operatore',
  'queue.ready': 'Pronto',
  'queue.expected': 'In arrivo',
  'queue.resume': 'Riprendi',
  'queue.start': 'Inizia',
  'queue.none':
    'Nessun lavoro ti è assegnato. Li assegna chi pianifica; puoi anche prenderne uno scansionando il suo ordine.',
  'queue.wait': 'Per ora nulla da fare: i tuoi lavori attendono la fase precedente.',

  'tasks.title': 'Le mie attività',
  'tasks.overdue': 'Scaduta',
  'tasks.none': 'Non hai attività aperte.',

  'issues.title': 'Problemi critici aperti',
  'issues.none': 'Nessun problema critico è aperto.',
  'issues.untitled': 'Problema senza titolo',
  'issues.today': 'oggi',
  'issues.days': { one: '{count} giorno', other: '{count} giorni' },
  'issues.age.older': { one: '{count} da più di una settimana', other: '{count} da più di una settimana' },
  'issues.age.week': { one: '{count} di questa settimana', other: '{count} di questa settimana' },
  'issues.age.today': { one: '{count} di oggi', other: '{count} di oggi' },

  'records.title': 'Fascicoli storici incompleti',
  'records.none': 'Tutti questi fascicoli sono completi.',
  'records.noUnits':
    'Nessuna unità è ancora uscita dalla produzione. Qui si controllano i fascicoli delle unità finite.',
  'records.others': { one: 'e un’altra mancanza', other: 'e altre {count} mancanze' },
  'records.checking': 'Controllo di {done} unità su {total}…',
  'records.checked': {
    one: 'Controllata l’ultima unità finita, su {total}.',
    other: 'Controllate le ultime {count} unità finite, su {total}.',
  },
  'records.more': 'Controllane altre',

  'orders.title': 'Ordini in ritardo o a rischio',
  'orders.more': 'Piano di produzione',
  'orders.none': {
    one: 'L’unico ordine aperto è in orario.',
    other: 'Tutti i {count} ordini aperti sono in orario.',
  },
  'orders.noOrders': 'Nessun ordine è aperto.',
  'orders.progress': 'Avanzamento di {code}',

  'counts.title': 'Inventari in corso',
  'counts.none': 'Nessun inventario è in corso.',
  'counts.planned': 'Pianificato',
  'counts.started': 'Conteggio in corso',
  'counts.completed': 'Da verificare',
  'counts.processing': 'Rettifica delle giacenze',
  'counts.applied': 'Applicato',
  'counts.canceled': 'Annullato',
  'counts.mine': 'Conti tu',
  'counts.others': { one: 'e un altro', other: 'e altri {count}' },
  'counts.share': '{share} contato',
  'counts.coverage': 'Quanto è stato contato di {code}',

  'noRights.title': 'Il tuo utente non ha ancora permessi',
  'noRights.text': 'Chiedi a un amministratore un ruolo, per esempio operatore, pianificatore o qualità.',
}

export default home
