import type { TextKey } from '@/i18n'
import type { TextArgs } from '@/i18n/text'

/** The name of a text that needs no values: titles, entries of the navigation, shortcuts. */
export type PlainKey = { [K in TextKey]: TextArgs<K> extends [] ? K : never }[TextKey]
