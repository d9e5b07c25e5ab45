import type en from '../en/scan'
import type { Translation } from '../messages'

const scan: Translation<typeof en> = {
  box: 'Cerca o scansiona un codice',
  hint: 'Cerca o scansiona',
  submit: 'Trova',
  found: 'Trovato: {name}',
  noPage: 'Trovato: {name}. Non si può aprire, perché la sua chiave non è un indirizzo.',
  none: 'Nulla ha il codice {code}.',
  several: { one: '{count} elemento ha il codice {code}.', other: '{count} elementi hanno il codice {code}.' },
  taken: 'Scansionato: {code}',
  refused: 'Rifiutato: {code}',
  failed: 'Non è stato possibile cercare il codice {code}: {message}',
  loading: 'La pagina si sta ancora caricando. Scansiona di nuovo.',
  sound: 'Suono alla scansione',
  'kind.serial': 'Matricola',
  'kind.product': 'Prodotto',
  'kind.order': 'Ordine di lavoro',
  'kind.position': 'Ubicazione',
  'kind.task': 'Attività',
  'kind.issue': 'Problema',
}

export default scan
