import type { Schemas } from '@/api'
import { useText } from '@/i18n'
import { ToneMark } from '@/ui/StatusMark'
import type { StateLook } from '@/ui/states'

type Count = Schemas['CountSession']

const LOOKS: Readonly<Record<Count['status'], StateLook>> = {
  planned: { tone: 'todo', icon: 'todo' },
  started: { tone: 'running', icon: 'running' },
  completed: { tone: 'waiting', icon: 'waiting' },
  processing: { tone: 'running', icon: 'reload' },
  applied: { tone: 'done', icon: 'done' },
  canceled: { tone: 'scrapped', icon: 'deleted' },
}

/** The state of a count, in a word. */
export function CountMark({ status, look = 'plain' }: { status: Count['status']; look?: 'plain' | 'tag' }) {
  const t = useText()
  return (
    <ToneMark {...LOOKS[status]} look={look}>
      {t(`home.counts.${status}`)}
    </ToneMark>
  )
}
