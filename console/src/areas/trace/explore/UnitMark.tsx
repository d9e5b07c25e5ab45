import type { Text } from '@/i18n'
import { StatusMark } from '@/ui/StatusMark'
import { lookOf, type StateLook, wordOf } from '@/ui/states'
import type { Unit } from './web'

/** The state of a unit of the trace; a batch has none. */
export function UnitMark({ unit, look = 'plain' }: { unit: Unit; look?: 'plain' | 'tag' }) {
  const { node, shipped } = unit
  if (shipped) return <StatusMark of="place" state="shipped" look={look} />
  return node.state && <StatusMark of="serial" state={node.state} look={look} />
}

export function stateWord(t: Text, { node, shipped }: Unit): string | null {
  const words = t as unknown as (key: string) => string
  if (shipped) return words(wordOf('place', 'shipped'))
  return node.state && words(wordOf('serial', node.state))
}

export function stateLook({ node, shipped }: Unit): StateLook | null {
  if (shipped) return lookOf('place', 'shipped')
  return node.state && lookOf('serial', node.state)
}
