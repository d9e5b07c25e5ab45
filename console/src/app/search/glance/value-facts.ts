import { useFormats, useText } from '@/i18n'
import type { Fact } from '@/ui/Facts'
import { readable } from './values'

/** The values of a form as facts. */
export function useValueFacts(): (fields: Parameters<typeof readable>[0]) => Fact[] {
  const t = useText()
  const formats = useFormats()
  return (fields) =>
    readable(fields).map(({ label, value, kind }) => {
      if (typeof value === 'boolean') return { label, value: value ? t('ui.yes') : t('ui.no') }
      if (kind === 'number') return { label, value: formats.decimal(value) }
      if (kind === 'date') return { label, value: formats.date(value) }
      return { label, value }
    })
}
