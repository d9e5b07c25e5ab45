import { ratio } from '@/api/decimal'
import { useFormats, useText } from '@/i18n'
import './Progress.css'

interface ProgressProps {
  readonly done: string | number
  readonly total: string | number
  readonly scrap?: string | number | undefined
  /** What is counted, for screen readers. */
  readonly label: string
  readonly unit?: string | undefined
  /** Leaves the numbers out, where they stand beside it. */
  readonly bare?: boolean
  /** What is said instead of the numbers. */
  readonly words?: string
}

/** How far something is: a bar with what is done and what was scrapped, and the numbers. */
export function Progress({ done, total, scrap = 0, label, unit, bare = false, words: said }: ProgressProps) {
  const t = useText()
  const formats = useFormats()
  const share = ratio(done, total)
  const lost = ratio(scrap, total)
  const words = said ?? t('ui.progress.of', { done: formats.decimal(done), total: formats.decimal(total) })
  const text = unit ? `${words} ${unit}` : words
  return (
    <div className="tw-progress">
      <div
        className="tw-progress-bar"
        role="progressbar"
        aria-label={label}
        aria-valuenow={Math.floor(share * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={text}
        data-full={share + lost >= 1 || undefined}
      >
        <span className="tw-progress-done" style={{ width: `${share * 100}%` }} />
        {lost > 0 && <span className="tw-progress-scrap" style={{ width: `${Math.min(lost, 1 - share) * 100}%` }} />}
      </div>
      {!bare && (
        <span className="tw-progress-text">
          {text}
          {lost > 0 && (
            <span className="tw-progress-lost">
              {' '}
              · {t('ui.progress.scrap', { count: scrap, qt: formats.decimal(scrap) })}
            </span>
          )}
        </span>
      )}
    </div>
  )
}
