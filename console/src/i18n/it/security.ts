import type securityEn from '../en/security'
import type { Translation } from '../messages'

const security: Translation<typeof securityEn> = {
  'signIn.title': 'Accedi',
  'signIn.username': 'Nome utente',
  'signIn.password': 'La tua password',
  'signIn.submit': 'Accedi',
  'signIn.wrong': 'Nome utente o password non corretti.',
  'signIn.offline': 'Il servizio non risponde. Controlla la connessione e riprova.',
  'signIn.wait': { one: 'Attendi {count} secondo, poi riprova.', other: 'Attendi {count} secondi, poi riprova.' },
  'signIn.logo': 'Logo di {company}',
  'password.title': 'Scegli una nuova password',
  'password.text':
    'La tua password è temporanea. Scegline una che conosci solo tu: da 10 a 256 caratteri, diversa dal nome utente.',
  'password.new': 'Nuova password',
  'password.again': 'Ripeti la nuova password',
  'password.short': 'La password deve avere almeno 10 caratteri.',
  'password.long': 'La password può avere al massimo 256 caratteri.',
  'password.differ': 'Le due password sono diverse.',
  'password.submit': 'Salva e accedi',
  'password.expired': 'Sono passati cinque minuti. Accedi di nuovo con la password temporanea.',
  'password.back': 'Torna all’accesso',
  'lock.idle.title': 'Sei ancora qui?',
  'lock.idle.text': 'Nessuno ha usato questa pagina per un po’, quindi è stata bloccata. Tutto è come l’hai lasciato.',
  'lock.expired.title': 'La sessione è scaduta',
  'lock.expired.text': 'Accedi per continuare. Ciò che hai scritto è rimasto.',
  'lock.ended.title': 'La sessione è stata chiusa',
  'lock.ended.text':
    'Qualcuno ha eseguito l’accesso con il tuo nome su un altro dispositivo, oppure un amministratore ha chiuso la sessione. Ciò che hai scritto è rimasto: accedi per continuare qui.',
  'lock.left.title': 'Sei uscito in un’altra scheda',
  'lock.left.text': 'Accedi per continuare con questa pagina. Ciò che hai scritto è rimasto.',
  'lock.otherUser.title': 'Ha eseguito l’accesso un’altra persona',
  'lock.otherUser.text':
    'In un’altra scheda di questo browser ha eseguito l’accesso un’altra persona. Ciò che {name} ha scritto qui è rimasto: accedi come {name} per continuare, oppure lascia questa pagina.',
  'lock.password': 'Password di {name}',
  'lock.wrong': 'La password non è corretta.',
  'lock.submit': 'Continua',
  'lock.leave': 'Accedi come un’altra persona',
}

export default security
