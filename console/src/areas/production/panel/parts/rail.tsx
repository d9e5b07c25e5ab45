import { Tooltip } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useText } from '@/i18n'
import { Icon } from '@/ui/icons'
import { mayOpen } from '../logic/steps'
import type { Flow } from '../use-flow'

/** The step on the screen has its title below; on a narrow page with many steps, the others show theirs where the pointer or the focus is. */
const SHOWN_BY = { hover: true, focus: true, touch: false }

/** The steps of the batch: which are done, which is on the screen. Those that may not be opened yet can be read all the same. */
export function Rail({ flow: { place, work } }: { flow: Flow }) {
  const t = useText()
  const list = useRef<HTMLOListElement>(null)
  const { steps, at } = place
  const { step_check: checked, step_check_force_order: forced } = work.job.parameters
  useEffect(() => {
    const { current: rail } = list
    const shown = at === null ? undefined : rail?.children[at]
    if (rail && shown instanceof HTMLElement)
      rail.scrollLeft = shown.offsetLeft - (rail.clientWidth - shown.offsetWidth) / 2
  }, [at])
  if (steps.length < 2) return null
  return (
    <ol className="pn-rail" ref={list} aria-label={t('panel.step.list')}>
      {steps.map(({ step, done, critical }, index) => {
        const may = mayOpen(steps, index, checked && forced)
        return (
          <li key={step._key}>
            <Tooltip label={t('panel.step.open', { number: index + 1, title: step.title })} events={SHOWN_BY} multiline>
              <button
                type="button"
                aria-current={index === at ? 'step' : undefined}
                aria-disabled={!may || undefined}
                data-done={done || undefined}
                data-critical={critical || undefined}
                onClick={may ? () => place.open(step._key) : undefined}
              >
                {critical ? (
                  <Icon name="flagged" size={20} />
                ) : done ? (
                  <Icon name="done" size={22} />
                ) : (
                  index !== at && <b>{index + 1}</b>
                )}
                <span>
                  {index === at ? t('panel.step.place', { number: index + 1, total: steps.length }) : step.title}
                </span>
              </button>
            </Tooltip>
          </li>
        )
      })}
    </ol>
  )
}
