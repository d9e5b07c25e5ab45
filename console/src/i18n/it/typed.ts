import type en from '../en/typed'
import type { Translation } from '../messages'

const typed: Translation<typeof en> = {
  dialog: 'Quello che hai scritto non è salvato. Chiudi o esci ancora una volta per scartarlo.',
  scan: 'Non si è aperto nulla: quello che hai scritto nella finestra non è salvato.',
  twoNumbers: '{text} si può leggere in due modi: scrivi {whole} o {fraction}.',
}

export default typed
