import { useText } from '@/i18n'
import { LongText } from '@/ui/LongText'
import { Section } from '@/ui/Section'

/** What somebody wrote about it. */
export function Words({ text, title }: { text: string | null; title?: string }) {
  const t = useText()
  if (!text) return null
  return (
    <Section title={title ?? t('thing.description')}>
      <div className="tw-glance-text">
        <LongText text={text} />
      </div>
    </Section>
  )
}
