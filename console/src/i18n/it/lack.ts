import type en from '../en/lack'
import type { Translation } from '../messages'

const lack: Translation<typeof en> = {
  aUnit: 'un’unità',
  value: '{label} non è compilato.',
  part: { one: 'Manca {count} {product}.', other: 'Mancano {count} {product}.' },
  partOf: { one: 'Manca {count} {product} in {parent}.', other: 'Mancano {count} {product} in {parent}.' },
  issue: 'È aperto un problema critico: {title}',
  step: 'Il passo «{step}» di {phase} non è stato eseguito.',
  file: 'Il file {name} non è archiviato.',
  fileChanged: 'Il file {name} non è quello registrato.',
  code: 'Non ha un codice.',
  release: 'Non è ancora rilasciata.',
}

export default lack
