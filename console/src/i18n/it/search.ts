import type en from '../en/search'
import type { Translation } from '../messages'

const search: Translation<typeof en> = {
  title: 'Cerca ovunque',
  titleFor: 'Ricerca: {text}',
  box: 'Cerca ovunque',
  hint: 'Codice, titolo o descrizione',
  clear: 'Cancella la ricerca',
  results: 'Risultati',
  recent: 'Aperti di recente',
  everything: 'Tutto',
  kinds: 'Dove si cerca',
  exact: { one: 'Ha esattamente questo codice', other: '{count} elementi hanno il codice {code}' },
  all: 'Tutti i risultati',
  asList: { one: 'Mostra {count} matricola in elenco', other: 'Mostra tutte le {count} matricole in elenco' },
  nothing: 'Nessun risultato per «{text}». Premi Invio per sapere che cosa puoi fare.',
  partly: 'Ricerca non riuscita in: {kinds}.',
  'begin.title': 'Che cosa cerchi?',
  begin:
    'Scrivi o scansiona una matricola, un prodotto, un ordine di lavoro, un’ubicazione, un’attività o un problema. * sta per qualsiasi carattere.',
  'keys.walk': 'scorri',
  'keys.open': 'apri',
  'keys.close': 'chiudi',

  'kind.serial': 'Matricole',
  'kind.product': 'Prodotti',
  'kind.order': 'Ordini di lavoro',
  'kind.position': 'Ubicazioni',
  'kind.task': 'Attività',
  'kind.issue': 'Problemi',

  'thing.issue': 'Problema',
  'thing.task': 'Attività',
  'thing.position': 'Ubicazione',
  'thing.count': 'Inventario',

  'detail.about': 'riguarda',
  'detail.released': 'rilascio: {when}',
  'detail.created': 'creazione: {when}',
  'detail.due': 'scadenza: {when}',
  'detail.deleted': 'eliminazione: {when}',
  'detail.inactive': 'non attivo',
  'detail.outside': 'fuori dal proprio magazzino',
  'detail.carrier': 'Mobile',

  gs1: 'Letto dal codice GS1:',
  'gs1.sscc': 'unità logistica',
  'gs1.gtin': 'articolo',
  'gs1.lot': 'lotto',
  'gs1.serial': 'matricola',

  'none.title': 'Nessun elemento ha questo codice',
  'none.kind': '{kind}: nessun elemento ha questo codice',
  'none.deleted': 'Queste unità lo avevano e sono state eliminate',
  'none.alike': 'Matricole che iniziano allo stesso modo',
  'none.todo': 'Che cosa puoi fare',
  'none.label':
    'Confrontalo con l’etichetta: 0 e O, 1 e I si confondono facilmente, e un’etichetta rovinata si legge male.',
  'none.part': 'Cercane una parte, o metti * dove non sei sicuro: DU7-*15.',
  'none.new': 'Se il pezzo è nuovo, forse non è ancora stato registrato. Chiedi al magazzino di caricarlo.',
  'none.everywhere': 'Cerca anche in tutto il resto',
  'none.hidden': 'Non hai il permesso di vedere questi elementi, quindi non sono stati cercati: {kinds}.',
}

export default search
