import './StatusMark.css'
import { useText } from '@/i18n'
import { Icon } from './icons'
import { lookOf, type StateKind, type StateOf, type Tone, wordOf } from './states'

interface StatusMarkProps<K extends StateKind> {
  readonly of: K
  readonly state: StateOf<K>
  /** `plain` is an icon with a word; `tag` has a tinted ground, for the head of a page. */
  readonly look?: 'plain' | 'tag'
}

/** A state: its icon in its colour, and its word. */
export function StatusMark<K extends StateKind>({ of, state, look = 'plain' }: StatusMarkProps<K>) {
  const t = useText() as (key: string) => string
  const { tone, icon } = lookOf(of, state)
  return (
    <span className="tw-mark" data-tone={tone} data-look={look}>
      <Icon name={icon} size="1.1em" />
      <span className="tw-mark-word">{t(wordOf(of, state))}</span>
    </span>
  )
}

interface ToneMarkProps {
  readonly tone: Tone
  readonly icon: Parameters<typeof Icon>[0]['name']
  readonly look?: 'plain' | 'tag'
  readonly children: string
}

/** A mark that is no state of a record: late, first, live … */
export function ToneMark({ tone, icon, look = 'plain', children }: ToneMarkProps) {
  return (
    <span className="tw-mark" data-tone={tone} data-look={look}>
      <Icon name={icon} size="1.1em" />
      <span className="tw-mark-word">{children}</span>
    </span>
  )
}
