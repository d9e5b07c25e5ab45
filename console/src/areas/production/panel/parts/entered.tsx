import { useFormats, useText } from '@/i18n'
import { Icon } from '@/ui/icons'
import { enteredAt } from '../logic/entered'
import type { Flow } from '../use-flow'

/** The answers of the batch that is about to end. Each opens its step, where it can be corrected. */
export function Entered({ flow: { place } }: { flow: Flow }) {
  const t = useText()
  const formats = useFormats()
  const words = { yes: t('ui.yes'), no: t('ui.no'), date: formats.date }
  const entered = enteredAt(place.steps, place.answersAt, words)
  if (entered.length === 0) return null
  return (
    <ul className="pn-entered" aria-label={t('panel.finish.entered')}>
      {entered.map(({ key, title, critical, answers }) => (
        <li key={key}>
          <button type="button" onClick={() => place.open(key)}>
            <Icon name={critical ? 'flagged' : 'done'} size={24} />
            <span className="pn-entered-step">
              <span>{title}</span>
              {answers.map((answer) => (
                <span className="pn-entered-answer" key={answer.key}>
                  <span>{answer.label}:</span> <b>{answer.words ?? '–'}</b>
                </span>
              ))}
            </span>
            <Icon name="right" size={22} />
          </button>
        </li>
      ))}
    </ul>
  )
}
