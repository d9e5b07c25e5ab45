import type en from '../en/pages'
import type { Translation } from '../messages'

const pages: Translation<typeof en> = {
  products: 'Prodotti',
  plan: 'Piano di produzione',
  order: 'Ordine di lavoro',
  panel: 'Pannello operatore',
  serial: 'Matricola',
  serials: 'Matricole',
  trace: 'Tracciabilità',
  recall: 'Richiamo',
}

export default pages
