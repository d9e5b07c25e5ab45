import { useFormats, useText } from '@/i18n'
import { lookOf, wordOf } from '@/ui/states'
import type { PhaseSum } from '../orders'

/** The phases of an order as a strip: one piece each, filled as far as it is. */
export function PhaseStrip({ phases }: { phases: readonly PhaseSum[] }) {
  const t = useText()
  const formats = useFormats()
  const word = t as (key: string) => string
  const words = phases.map((phase) =>
    t('production.card.phase', {
      phase: phase.alias,
      state: word(wordOf('job', phase.state)),
      done: formats.decimal(phase.completed),
      total: formats.decimal(phase.planned),
    }),
  )
  return (
    <span className="tw-wo-strip" role="img" aria-label={words.join('; ')}>
      {phases.map((phase, at) => (
        <span
          className="tw-wo-strip-part"
          key={phase.key}
          data-tone={lookOf('job', phase.state).tone}
          title={words[at]}
        >
          <span className="tw-wo-strip-done" style={{ width: `${phase.share * 100}%` }} />
        </span>
      ))}
    </span>
  )
}
