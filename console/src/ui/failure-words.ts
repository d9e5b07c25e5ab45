import { failureOf } from '@/api/faults'
import type { Text } from '@/i18n'

/** What went wrong, as the service says it. While the line is cut it says nothing. */
export function failureWords(t: Text, error: unknown): string {
  return failureOf(error).message || t('ui.failed.offline.title')
}
