import { useText } from '@/i18n'
import type { IconName } from '@/ui/icons'
import { ToneMark } from '@/ui/StatusMark'
import type { Tone } from '@/ui/states'
import type { ChangeKind } from './lines'

const LOOKS: Readonly<
  Record<ChangeKind, { tone: Tone; icon: IconName; word: 'added' | 'removed' | 'changed' | 'unchanged' }>
> = {
  added: { tone: 'done', icon: 'plus', word: 'added' },
  removed: { tone: 'critical', icon: 'minus', word: 'removed' },
  changed: { tone: 'waiting', icon: 'edit', word: 'changed' },
  same: { tone: 'todo', icon: 'check', word: 'unchanged' },
}

/** What happened to a line: sign, colour and word. */
export function KindMark({ kind }: { kind: ChangeKind }) {
  const t = useText()
  const { tone, icon, word } = LOOKS[kind]
  return (
    <ToneMark tone={tone} icon={icon}>
      {t(`product.versions.${word}`)}
    </ToneMark>
  )
}
