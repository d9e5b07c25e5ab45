import type { Text } from '@/i18n'
import type { TraceNode } from './web'

/** What people call a unit: its code, or what it is where it has none. */
export function codeOf(t: Text, node: Pick<TraceNode, 'type' | 'code'>): string {
  if (node.type === 'batch') return t('trace.batch')
  return node.code ?? t('trace.unnamed')
}
