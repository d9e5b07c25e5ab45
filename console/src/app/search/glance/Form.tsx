import { useFormats, useText } from '@/i18n'
import { Facts } from '@/ui/Facts'
import { Section } from '@/ui/Section'
import { type Field, fieldWords } from './values'

/** What was filled in; and what still has to be, as long as the thing is open. */
export function Form({ fields, open }: { fields: readonly Field[]; open: boolean }) {
  const t = useText()
  const formats = useFormats()
  const words = fieldWords(fields, { yes: t('ui.yes'), no: t('ui.no'), formats })
  const shown = open ? words : words.filter((field) => field.words !== null)
  if (shown.length === 0) return null
  const missing = <span className="tw-glance-about">{t('thing.values.missing')}</span>
  return (
    <Section title={t('thing.values')}>
      <Facts facts={shown.map((field) => ({ label: field.label, value: field.words ?? missing }))} />
    </Section>
  )
}
