import type en from '../en/serials'
import type { Translation } from '../messages'

const serials: Translation<typeof en> = {
  file: 'matricole',
  search: 'Codice della matricola',
  states: 'Stati',
  'states.released': 'Rilasciate o spedite',
  'col.code': 'Matricola',
  'col.state': 'Stato',
  'col.product': 'Prodotto',
  'col.description': 'Descrizione',
  'col.order': 'Ordine di lavoro',
  'col.project': 'Progetto',
  'col.created': 'Creata',
  'col.released': 'Rilasciata',
  'col.scrapped': 'Scartata',
  'col.reason': 'Motivo dello scarto',
  'filter.product': 'Codice prodotto',
  'filter.order': 'Ordine di lavoro',
  'filter.project': 'Progetto',
  'filter.contains': 'Contiene l’unità',
  'filter.within': 'È dentro l’unità',
  'filter.created': 'Creata',
  'filter.released': 'Rilasciata',
  'filter.deleted': 'Anche le unità eliminate',
  none: 'Ancora nessuna matricola',
  'none.text': 'Le unità compaiono qui appena un ordine le produce o si ricevono merci con numero di serie.',
  noMatch: 'Nessuna matricola corrisponde ai filtri',
  'noMatch.text': 'Nei codici * sta per qualsiasi carattere e ? per uno solo: DU7-*15.',
  'noMatch.clear': 'Togli i filtri',
}

export default serials
