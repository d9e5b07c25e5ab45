import { useText } from '@/i18n'
import { Icon } from '@/ui/icons'
import { mayOpen } from '../logic/steps'
import type { Flow } from '../use-flow'

/** The steps of the batch: which are done, which is on the screen. */
export function Rail({ flow: { place, work } }: { flow: Flow }) {
  const t = useText()
  const { steps, at } = place
  const { step_check: checked, step_check_force_order: forced } = work.job.parameters
  if (steps.length < 2) return null
  return (
    <ol className="pn-rail" aria-label={t('panel.step.list')}>
      {steps.map(({ step, done, critical }, index) => (
        <li key={step._key}>
          <button
            type="button"
            aria-current={index === at ? 'step' : undefined}
            title={t('panel.step.open', { number: index + 1, title: step.title })}
            data-done={done || undefined}
            data-critical={critical || undefined}
            disabled={!mayOpen(steps, index, checked && forced)}
            onClick={() => place.open(step._key)}
          >
            {critical ? <Icon name="flagged" size={20} /> : done ? <Icon name="done" size={22} /> : <b>{index + 1}</b>}
            <span>{step.title}</span>
          </button>
        </li>
      ))}
    </ol>
  )
}
